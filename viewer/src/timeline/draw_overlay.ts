// Draws the upper canvas: hover effects, the selection and its arrows.

import { formatDuration } from "../base/units";
import type { Flow } from "./flows";
import type { PlacedEvent } from "./hit_test";
import { rowTop } from "./layout";
import { AXIS_HEIGHT, canvasY, headerHeight, ITERATION_HEIGHT, type Scene } from "./scene";
import { formatTick, formatTime, ticksFor } from "./ticks";

type Context = CanvasRenderingContext2D;

export interface Overlay {
  hover: PlacedEvent | null;
  selected: PlacedEvent | null;
  /** The selected interval, also while it is being dragged. */
  stretch: { start: number; end: number } | null;
  flows: readonly Flow[];
  /** Events that the search found. */
  matches: readonly PlacedEvent[];
  /** The horizontal position of the pointer over the canvas, in CSS pixels. */
  pointerX: number | null;
}

function xOf(scene: Scene, time: number): number {
  const { range } = scene;
  const x = ((time - range.start) / (range.end - range.start)) * scene.width;
  // Coordinates far outside a canvas lose precision as single floats.
  return Math.min(Math.max(x, -20_000), scene.width + 20_000);
}

interface Rect {
  x: number;
  y: number;
  width: number;
  height: number;
}

function rectOf(scene: Scene, event: PlacedEvent): Rect | null {
  const { layout } = scene;
  const x = xOf(scene, event.start);
  const width = Math.max(xOf(scene, event.start + event.duration) - x, 2);
  if (x > scene.width || x + width < 0) return null;
  if (event.lane === layout.iterations?.id) {
    return { x, y: AXIS_HEIGHT + 2, width, height: ITERATION_HEIGHT - 4 };
  }
  const top = rowTop(layout, event.lane, event.depth);
  const box = layout.lanes.get(event.lane);
  if (top === undefined || box === undefined) return null;
  return { x, y: canvasY(scene, top), width, height: box.rowHeight - 1 };
}

function clipToLanes(ctx: Context, scene: Scene): void {
  const top = headerHeight(scene.layout);
  ctx.beginPath();
  ctx.rect(0, top, scene.width, scene.height - top);
  ctx.clip();
}

function outline(
  ctx: Context,
  scene: Scene,
  event: PlacedEvent,
  color: string,
  line: number,
): void {
  const rect = rectOf(scene, event);
  if (rect === null) return;
  ctx.save();
  if (event.lane !== scene.layout.iterations?.id) clipToLanes(ctx, scene);
  ctx.strokeStyle = color;
  ctx.lineWidth = line;
  ctx.strokeRect(rect.x - line / 2, rect.y - line / 2, rect.width + line - 1, rect.height + line);
  ctx.restore();
}

function drawStretch(ctx: Context, scene: Scene, stretch: { start: number; end: number }): void {
  const { palette, width, height } = scene;
  const left = xOf(scene, stretch.start);
  const right = xOf(scene, stretch.end);
  if (right < 0 || left > width) return;
  ctx.fillStyle = palette.accentFill;
  ctx.fillRect(left, 0, right - left, height);
  ctx.fillStyle = palette.accent;
  ctx.fillRect(left - 1, 0, 1, height);
  ctx.fillRect(right, 0, 1, height);
  const text = formatDuration(stretch.end - stretch.start);
  const size = scene.fit.width(text) + 12;
  const middle = (Math.max(left, 0) + Math.min(right, width)) / 2;
  const x = Math.min(Math.max(middle - size / 2, 2), width - size - 2);
  const below = headerHeight(scene.layout) + 4;
  chip(ctx, scene, text, x, below, size, palette.accent, palette.onAccent);
}

function chip(
  ctx: Context,
  scene: Scene,
  text: string,
  x: number,
  y: number,
  width: number,
  back: string,
  ink: string,
): void {
  ctx.fillStyle = back;
  ctx.beginPath();
  ctx.roundRect(x, y, width, 18, 4);
  ctx.fill();
  ctx.fillStyle = ink;
  ctx.font = scene.cssFont;
  ctx.textBaseline = "middle";
  ctx.fillText(text, x + 6, y + 9.5);
}

function drawCrosshair(ctx: Context, scene: Scene, x: number): void {
  const { palette, range } = scene;
  ctx.fillStyle = palette.faintInk;
  ctx.globalAlpha = 0.45;
  ctx.fillRect(Math.round(x), AXIS_HEIGHT, 1, scene.height - AXIS_HEIGHT);
  ctx.globalAlpha = 1;
  const nsPerPixel = (range.end - range.start) / scene.width;
  const text = formatTime(range.start + x * nsPerPixel, nsPerPixel);
  const size = scene.fit.width(text) + 12;
  const left = Math.min(Math.max(x - size / 2, 2), scene.width - size - 2);
  hideTicks(ctx, scene, left, left + size);
  chip(ctx, scene, text, left, 4, size, palette.ink, palette.background);
}

/** Hides tick labels behind the pointer's time: a half-hidden one would be read as part of it. */
function hideTicks(ctx: Context, scene: Scene, from: number, to: number): void {
  const ticks = ticksFor(scene.range, scene.width);
  ctx.fillStyle = scene.palette.background;
  for (let i = 0; i < ticks.count; ++i) {
    const time = ticks.first + i * ticks.step;
    const left = xOf(scene, time) + 3;
    const right = left + scene.fit.width(formatTick(time, ticks.step, scene.range.end)) + 4;
    if (right > from && left < to) ctx.fillRect(left, 3, right - left, AXIS_HEIGHT - 9);
  }
}

function arrowHead(ctx: Context, x: number, y: number, angle: number): void {
  ctx.beginPath();
  ctx.moveTo(x, y);
  for (const side of [-0.42, 0.42]) {
    ctx.lineTo(x - 8 * Math.cos(angle + side), y - 8 * Math.sin(angle + side));
  }
  ctx.closePath();
  ctx.fill();
}

/**
 * Limits the position of a point outside the canvas, or an arrow from afar would be almost
 * horizontal.
 */
function nearX(scene: Scene, time: number): number {
  return Math.min(Math.max(xOf(scene, time), -40), scene.width + 40);
}

/** If two points are nearly above each other, the arrow goes straight down or up. */
const STEEP = 18;

function drawFlow(ctx: Context, scene: Scene, flow: Flow): void {
  const { palette } = scene;
  const x0 = nearX(scene, flow.fromTime);
  const x1 = nearX(scene, flow.toTime);
  const y0 = canvasY(scene, flow.fromY);
  const middle = canvasY(scene, flow.toY);
  const down = middle > y0 ? 1 : -1;
  const steep = x1 - x0 < STEEP && middle !== y0;
  const y1 = steep ? middle - down * 5 : middle;
  const color = flow.kind === "start" ? palette.arrow : palette.forwardArrow;
  const bow = Math.min(Math.max(Math.abs(x1 - x0) / 2, 14), 160);
  const rise = (Math.abs(y1 - y0) / 2) * down;
  for (const [style, line] of [
    [palette.halo, 4],
    [color, 1.75],
  ] as const) {
    ctx.strokeStyle = style;
    ctx.lineWidth = line;
    ctx.beginPath();
    ctx.moveTo(x0, y0);
    if (steep) ctx.bezierCurveTo(x0, y0 + rise, x1, y1 - rise, x1, y1);
    else ctx.bezierCurveTo(x0 + bow, y0, x1 - bow, y1, x1, y1);
    ctx.stroke();
  }
  ctx.fillStyle = color;
  ctx.beginPath();
  ctx.arc(x0, y0, 3, 0, 2 * Math.PI);
  ctx.fill();
  arrowHead(ctx, x1, y1, steep ? (down * Math.PI) / 2 : 0);
}

/** Small marks above search results, which stay visible even if the slices are a pixel wide. */
function drawMatches(ctx: Context, scene: Scene, matches: readonly PlacedEvent[]): void {
  ctx.fillStyle = scene.palette.match;
  let lastX = Number.NEGATIVE_INFINITY;
  let lastY = 0;
  for (const match of matches) {
    const rect = rectOf(scene, match);
    if (rect === null) continue;
    const x = Math.max(rect.x, 0);
    if (x - lastX < 2 && rect.y === lastY) continue;
    lastX = x;
    lastY = rect.y;
    ctx.fillRect(
      x,
      rect.y + rect.height - 2,
      Math.max(Math.min(rect.width - 1, scene.width - x), 2),
      2,
    );
  }
}

/** Draws the whole overlay. The context's transform must contain the screen's pixel density. */
export function drawOverlay(ctx: Context, scene: Scene, overlay: Overlay): void {
  const { palette } = scene;
  ctx.clearRect(0, 0, scene.width, scene.height);
  ctx.save();
  clipToLanes(ctx, scene);
  drawMatches(ctx, scene, overlay.matches);
  ctx.restore();
  if (overlay.stretch !== null) drawStretch(ctx, scene, overlay.stretch);
  if (overlay.hover !== null) outline(ctx, scene, overlay.hover, palette.ink, 1);
  if (overlay.selected !== null) outline(ctx, scene, overlay.selected, palette.accent, 2);
  if (overlay.flows.length > 0) {
    ctx.save();
    clipToLanes(ctx, scene);
    for (const flow of overlay.flows) drawFlow(ctx, scene, flow);
    ctx.restore();
  }
  if (overlay.pointerX !== null) drawCrosshair(ctx, scene, overlay.pointerX);
}
