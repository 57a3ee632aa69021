/**
 * Counts of drawn frames, for benchmarks and tests: `window.warpsight.timeline.frames`.
 * Call `reset()`, move the view, then read the rest.
 */
export interface FrameStats {
  /** The number of frames in which the lower canvas was drawn. */
  drawn: number;
  /** The longest time for drawing a frame, ms. */
  longestDrawMs: number;
  /** The longest time between two frames of one movement, ms. */
  longestFrameMs: number;
  /** The total time of frames during movements, ms, and their number: the average rate. */
  movingMs: number;
  movingFrames: number;
  /** The number of slices in the tiles of the last frame. */
  slices: number;
  reset(): void;
}

declare global {
  interface Window {
    warpsight?: { timeline?: { frames: FrameStats } };
  }
}

export function makeFrameStats(): FrameStats {
  return {
    drawn: 0,
    longestDrawMs: 0,
    longestFrameMs: 0,
    movingMs: 0,
    movingFrames: 0,
    slices: 0,
    reset() {
      this.drawn = 0;
      this.longestDrawMs = 0;
      this.longestFrameMs = 0;
      this.movingMs = 0;
      this.movingFrames = 0;
    },
  };
}

export function publishFrameStats(frames: FrameStats): () => void {
  window.warpsight = { ...window.warpsight, timeline: { frames } };
  return () => {
    if (window.warpsight?.timeline?.frames === frames) delete window.warpsight.timeline;
  };
}
