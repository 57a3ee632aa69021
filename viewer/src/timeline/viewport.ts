// The part of the timeline that the canvas shows, and its movements.

import { cssPixels } from "./units";
import {
  clampRange,
  easeOut,
  interpolate,
  panBy,
  type ViewRange,
  viewRange,
  xToTime,
  zoomAbout,
} from "./view_range";

/** Short enough not to feel slow, long enough for the eye to follow. */
const ANIMATION_MS = 160;

interface Animation {
  from: ViewRange;
  to: ViewRange;
  started: number;
}

export class Viewport {
  range: ViewRange;
  width = 1;
  height = 1;
  scrollTop = 0;
  private animation: Animation | null = null;

  constructor(
    readonly traceEnd: number,
    private readonly reducedMotion: () => boolean,
    /** Requests a frame, in which step() is called. */
    private readonly onMove: () => void,
  ) {
    this.range = clampRange(viewRange(0, traceEnd), traceEnd);
  }

  /** The current range or, during a movement, its end. */
  get target(): ViewRange {
    return this.animation?.to ?? this.range;
  }

  get moving(): boolean {
    return this.animation !== null;
  }

  moveTo(wanted: ViewRange, animated: boolean): void {
    const to = clampRange(wanted, this.traceEnd);
    if (animated && !this.reducedMotion()) {
      this.animation = { from: this.range, to, started: Number.NaN };
    } else {
      this.animation = null;
      this.range = to;
    }
    this.onMove();
  }

  /** Zooms around a position on the canvas; zooms in quick succession add up. */
  zoomAt(x: number, factor: number, animated: boolean): void {
    const base = animated ? this.target : this.range;
    const at = xToTime(base, cssPixels(this.width), cssPixels(x));
    this.moveTo(zoomAbout(base, at, factor, this.traceEnd), animated);
  }

  panPixels(pixels: number, animated: boolean): void {
    const base = animated ? this.target : this.range;
    const delta = (pixels / this.width) * (base.end - base.start);
    this.moveTo(panBy(base, delta, this.traceEnd), animated);
  }

  /** Advances to the time of a frame. Returns true while more frames are needed. */
  step(now: number): boolean {
    if (this.animation === null) return false;
    if (Number.isNaN(this.animation.started)) this.animation.started = now;
    const progress = (now - this.animation.started) / ANIMATION_MS;
    this.range = interpolate(this.animation.from, this.animation.to, easeOut(progress));
    if (progress >= 1) {
      this.range = this.animation.to;
      this.animation = null;
    }
    return this.animation !== null;
  }
}
