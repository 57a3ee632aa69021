// One loop of animation frames for both canvases. A frame draws only canvases that changed.

import { busy } from "../base/idle";
import { currentTheme, type Theme } from "../base/theme";
import { drawScene } from "./draw";
import { drawOverlay, type Overlay } from "./draw_overlay";
import { RasterCanvas } from "./draw_slices";
import { flowsOf } from "./flows";
import { type FrameStats, makeFrameStats, publishFrameStats } from "./frame_stats";
import { makePalette, type Palette } from "./palette";
import { RowRaster } from "./row_raster";
import { headerHeight, type Scene } from "./scene";
import { TextFit } from "./text_fit";
import type { Layer, TimelineModel } from "./timeline_model";

const FONT_FAMILY = 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif';
const FONT_PIXELS = 11;
/** Slices of at least this width have labels; while frames are late, only wider ones. */
const LEAST_LABEL = 26;
const LEAST_LABEL_LATE = 90;
/** Frames that are further apart belong to different movements. */
const SAME_MOVEMENT_MS = 120;
/** Below 40 frames per second, narrow labels are dropped. */
const LATE_MS = 25;
/** They return after nothing has moved for this long. */
const REST_MS = 140;

export class Painter {
  readonly stats: FrameStats = makeFrameStats();
  private readonly lanes: CanvasRenderingContext2D;
  private readonly overlay: CanvasRenderingContext2D;
  private readonly raster = new RowRaster();
  private readonly rasterCanvas = new RasterCanvas();
  private palette: Palette;
  private fit: TextFit;
  private dpr = 1;
  private dirtyLanes = true;
  private dirtyOverlay = true;
  private frameRequest = 0;
  private lastFrame = Number.NEGATIVE_INFINITY;
  private lateness = 0;
  private leastLabel = LEAST_LABEL;
  private restTimer = 0;
  private idle: (() => void) | null = null;
  private readonly unpublish: () => void;

  constructor(
    private readonly model: TimelineModel,
    private readonly lanesCanvas: HTMLCanvasElement,
    private readonly overlayCanvas: HTMLCanvasElement,
    /** Called after each frame in which the view moved. */
    private readonly onDrawn: () => void,
  ) {
    // Opaque, so that the browser need not blend it with the page below.
    this.lanes = contextOf(lanesCanvas, { alpha: false });
    this.overlay = contextOf(overlayCanvas, {});
    this.palette = makePalette(
      model.timeline.categories,
      currentTheme(),
      backgroundOf(lanesCanvas),
    );
    this.fit = this.makeFit();
    this.unpublish = publishFrameStats(this.stats);
  }

  close(): void {
    cancelAnimationFrame(this.frameRequest);
    clearTimeout(this.restTimer);
    this.idle?.();
    this.unpublish();
  }

  setTheme(theme: Theme): void {
    this.palette = makePalette(
      this.model.timeline.categories,
      theme,
      backgroundOf(this.lanesCanvas),
    );
    this.invalidate("lanes");
  }

  resize(width: number, height: number): void {
    const dpr = window.devicePixelRatio || 1;
    this.dpr = dpr;
    for (const canvas of [this.lanesCanvas, this.overlayCanvas]) {
      canvas.width = Math.max(1, Math.round(width * dpr));
      canvas.height = Math.max(1, Math.round(height * dpr));
    }
    this.fit = this.makeFit();
    const { model } = this;
    model.view.width = Math.max(1, width);
    model.view.height = Math.max(1, height);
    model.lanesHeight = Math.max(1, height - headerHeight(model.layout));
    model.scrollTo(model.view.scrollTop);
    // A resized canvas is empty until it is drawn, so this cannot wait for the next frame.
    this.draw();
  }

  invalidate(layer: Layer): void {
    if (layer === "lanes") this.dirtyLanes = true;
    this.dirtyOverlay = true;
    if (this.frameRequest !== 0) return;
    this.idle ??= busy();
    this.frameRequest = requestAnimationFrame((now) => this.onFrame(now));
  }

  private onFrame(now: number): void {
    this.frameRequest = 0;
    if (this.model.view.step(now)) this.invalidate("lanes");
    this.measure(now);
    this.draw();
    if (this.frameRequest !== 0) return;
    this.idle?.();
    this.idle = null;
  }

  private draw(): void {
    const started = performance.now();
    const scene = this.scene();
    if (this.dirtyLanes) {
      this.model.updatePieces();
      this.lanes.setTransform(1, 0, 0, 1, 0, 0);
      drawScene(this.lanes, scene, this.raster, this.rasterCanvas);
      this.stats.drawn += 1;
      this.stats.slices = this.countSlices();
    }
    if (this.dirtyOverlay || this.dirtyLanes) {
      this.overlay.setTransform(this.dpr, 0, 0, this.dpr, 0, 0);
      drawOverlay(this.overlay, scene, this.overlayState());
    }
    const moved = this.dirtyLanes;
    this.dirtyLanes = false;
    this.dirtyOverlay = false;
    this.stats.longestDrawMs = Math.max(this.stats.longestDrawMs, performance.now() - started);
    if (moved) this.onDrawn();
  }

  /**
   * Measures times between frames rather than drawing times, since rasterizing happens after
   * drawing.
   */
  private measure(now: number): void {
    if (!this.dirtyLanes) return;
    const passed = now - this.lastFrame;
    this.lastFrame = now;
    clearTimeout(this.restTimer);
    this.restTimer = window.setTimeout(() => this.rest(), REST_MS);
    if (passed > SAME_MOVEMENT_MS) return;
    this.stats.longestFrameMs = Math.max(this.stats.longestFrameMs, passed);
    this.stats.movingMs += passed;
    this.stats.movingFrames += 1;
    this.lateness = 0.7 * this.lateness + 0.3 * passed;
    if (this.lateness > LATE_MS) this.leastLabel = LEAST_LABEL_LATE;
  }

  private rest(): void {
    this.lateness = 0;
    if (this.leastLabel === LEAST_LABEL) return;
    this.leastLabel = LEAST_LABEL;
    this.lastFrame = Number.NEGATIVE_INFINITY;
    this.invalidate("lanes");
  }

  private countSlices(): number {
    let slices = 0;
    for (const pieces of this.model.pieces) {
      for (const piece of pieces) slices += piece.tile.paint.length;
    }
    return slices;
  }

  private scene(): Scene {
    const { model } = this;
    return {
      timeline: model.timeline,
      sets: model.sets,
      pieces: model.pieces,
      layout: model.layout,
      palette: this.palette,
      fit: this.fit,
      font: `${FONT_PIXELS * this.dpr}px ${FONT_FAMILY}`,
      cssFont: `${FONT_PIXELS}px ${FONT_FAMILY}`,
      range: model.view.range,
      width: model.view.width,
      height: model.view.height,
      scrollTop: model.view.scrollTop,
      dpr: this.dpr,
      matcher: model.matcher,
      leastLabel: this.leastLabel,
    };
  }

  private overlayState(): Overlay {
    const { model } = this;
    const { selected, stretch, layout } = model.ui.get();
    const details = selected?.details ?? null;
    const groups = new Map(model.timeline.lanes.map((lane) => [lane.id, lane.group]));
    return {
      hover: model.hover,
      selected: selected?.place ?? null,
      stretch: model.draft ?? stretch,
      flows:
        details === null ? [] : flowsOf(details, details.links, layout, (lane) => groups.get(lane)),
      matches: model.matches,
      pointerX: model.pointerX,
    };
  }

  private makeFit(): TextFit {
    const ctx = this.overlay;
    ctx.font = `${FONT_PIXELS}px ${FONT_FAMILY}`;
    return new TextFit((text) => ctx.measureText(text).width);
  }
}

function contextOf(
  canvas: HTMLCanvasElement,
  options: CanvasRenderingContext2DSettings,
): CanvasRenderingContext2D {
  const context = canvas.getContext("2d", options);
  if (context === null) throw new Error("this browser has no 2D canvas");
  return context;
}

/**
 * The page's background if it is an opaque `#rrggbb` or `rgb()`, so that page and canvas look
 * alike.
 */
function backgroundOf(canvas: HTMLCanvasElement): string | undefined {
  const [red, green, blue, alpha] =
    getComputedStyle(canvas)
      .backgroundColor.match(/[\d.]+/g)
      ?.map(Number) ?? [];
  if (red === undefined || green === undefined || blue === undefined || alpha === 0)
    return undefined;
  const value = (red << 16) | (green << 8) | blue;
  return `#${value.toString(16).padStart(6, "0")}`;
}
