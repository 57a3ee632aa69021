// Draws a frame of the lower canvas: lanes, counters, slices, time axis and iterations. Everything
// that follows the pointer is in draw_overlay.ts.

import { drawCounter } from "./draw_counters";
import { drawLabels, type RasterCanvas } from "./draw_slices";
import { findRow } from "./hit_test";
import { firstBoxAt, isCounter } from "./layout";
import type { RowRaster } from "./row_raster";
import { AXIS_HEIGHT, canvasY, headerHeight, ITERATION_HEIGHT, type Scene } from "./scene";
import { labelOf } from "./text_fit";
import { formatTick, type Ticks, ticksFor } from "./ticks";
import type { Piece } from "./tile_cache";

type Context = CanvasRenderingContext2D;

/** If iterations are closer to each other than this, no lines are drawn through the lanes. */
const ITERATION_LINES_FROM = 48;

function fillCss(ctx: Context, scene: Scene, x: number, y: number, w: number, h: number): void {
  const { dpr } = scene;
  const left = Math.round(x * dpr);
  const top = Math.round(y * dpr);
  ctx.fillRect(left, top, Math.round((x + w) * dpr) - left, Math.round((y + h) * dpr) - top);
}

/** Draws a line with one device pixel per CSS pixel of thickness. */
function horizontalLine(ctx: Context, scene: Scene, y: number): void {
  const thick = Math.max(1, Math.floor(scene.dpr));
  ctx.fillRect(0, Math.round(y * scene.dpr) - thick, Math.round(scene.width * scene.dpr), thick);
}

function verticalLine(ctx: Context, scene: Scene, x: number, y: number, height: number): void {
  const thick = Math.max(1, Math.floor(scene.dpr));
  const top = Math.round(y * scene.dpr);
  ctx.fillRect(Math.round(x * scene.dpr), top, thick, Math.round((y + height) * scene.dpr) - top);
}

function xOf(scene: Scene, time: number): number {
  const { range } = scene;
  return ((time - range.start) / (range.end - range.start)) * scene.width;
}

function drawBackground(ctx: Context, scene: Scene, ticks: Ticks): void {
  const { layout, palette, width, height } = scene;
  ctx.fillStyle = palette.background;
  fillCss(ctx, scene, 0, 0, width, height);
  for (let i = firstBoxAt(layout, scene.scrollTop); i < layout.boxes.length; ++i) {
    const box = layout.boxes[i];
    if (box === undefined) break;
    const top = canvasY(scene, box.top);
    if (top > height) break;
    if (box.kind === "group") {
      ctx.fillStyle = palette.groupBand;
      fillCss(ctx, scene, 0, top, width, box.height);
    } else {
      ctx.fillStyle = palette.line;
      horizontalLine(ctx, scene, top + box.height);
    }
  }
  ctx.fillStyle = palette.grid;
  for (let i = 0; i < ticks.count; ++i) {
    const x = xOf(scene, ticks.first + i * ticks.step);
    if (x >= 0 && x <= width) verticalLine(ctx, scene, x, 0, height);
  }
}

function drawLanes(ctx: Context, scene: Scene, raster: RowRaster, canvas: RasterCanvas): void {
  const { layout, height } = scene;
  raster.begin(scene);
  for (const set of scene.sets) {
    const pieces = scene.pieces[set.id];
    if (pieces === undefined || pieces.length === 0) continue;
    for (const lane of set.lanes) {
      const box = layout.lanes.get(lane.id);
      if (box === undefined || !isCounter(lane)) continue;
      const top = canvasY(scene, box.top);
      if (top < height && top + box.height > 0) drawCounter(ctx, scene, pieces, box);
    }
    raster.paint(scene, pieces);
  }
  canvas.draw(ctx, raster);
  drawLabels(ctx, scene, raster);
}

/** Draws a gray layer over time outside the analyzed steps. */
function drawWash(ctx: Context, scene: Scene): void {
  const { start, end } = scene.timeline.range;
  if (end <= start) return;
  ctx.fillStyle = scene.palette.wash;
  const top = headerHeight(scene.layout);
  const left = xOf(scene, start);
  const right = xOf(scene, end);
  if (left > 0) fillCss(ctx, scene, 0, top, Math.min(left, scene.width), scene.height - top);
  if (right < scene.width) {
    const from = Math.max(right, 0);
    fillCss(ctx, scene, from, top, scene.width - from, scene.height - top);
  }
}

function drawAxis(ctx: Context, scene: Scene, ticks: Ticks): void {
  const { palette, dpr, width, range } = scene;
  ctx.fillStyle = palette.background;
  fillCss(ctx, scene, 0, 0, width, headerHeight(scene.layout));
  ctx.fillStyle = palette.line;
  const part = ticks.step / ticks.parts;
  for (let i = 0; i < ticks.count * ticks.parts; ++i) {
    const x = xOf(scene, ticks.first + i * part);
    if (x < 0 || x > width) continue;
    const major = i % ticks.parts === 0;
    verticalLine(ctx, scene, x, major ? 6 : AXIS_HEIGHT - 5, major ? AXIS_HEIGHT - 6 : 5);
  }
  ctx.fillStyle = palette.faintInk;
  for (let i = 0; i < ticks.count; ++i) {
    const time = ticks.first + i * ticks.step;
    const x = xOf(scene, time);
    if (x < -100 || x > width) continue;
    const text = formatTick(time, ticks.step, range.end);
    // A label that is cut by the right edge could be read as another number.
    if (x + 5 + scene.fit.width(text) > width || x + 5 < 0) continue;
    ctx.fillText(text, Math.round((x + 5) * dpr), Math.round(13 * dpr));
  }
  ctx.fillStyle = palette.line;
  horizontalLine(ctx, scene, AXIS_HEIGHT);
}

interface Band {
  top: number;
  height: number;
}

/** Slices of the iterations' lane; `text` draws their labels after all rectangles. */
function drawIterationPiece(
  ctx: Context,
  scene: Scene,
  piece: Piece,
  lane: number,
  band: Band,
  text: boolean,
): void {
  const { range, palette } = scene;
  const { tile } = piece.tile;
  const from = Math.max(piece.start, range.start);
  const to = Math.min(piece.end, range.end);
  const row = findRow(tile, lane, 0);
  if (row === undefined) return;
  for (let slice = row.first; slice < row.first + row.count; ++slice) {
    const start = tile.start[slice] ?? 0;
    const end = start + (tile.duration[slice] ?? 0);
    if (end < from || start > to) continue;
    if (text) {
      labelIteration(ctx, scene, piece, slice, band);
      continue;
    }
    const left = xOf(scene, Math.max(start, from));
    const right = xOf(scene, Math.min(end, to));
    ctx.fillStyle = palette.category[tile.category[slice] ?? 0] ?? palette.faintInk;
    const gap = end <= to ? 1 : 0;
    fillCss(ctx, scene, left, band.top, Math.max(right - left - gap, 1), band.height);
    const wide = xOf(scene, end) - xOf(scene, start) > ITERATION_LINES_FROM;
    if (start >= from && wide) {
      ctx.fillStyle = palette.iterationLine;
      verticalLine(ctx, scene, left, headerHeight(scene.layout), scene.height);
    }
  }
}

function labelIteration(ctx: Context, scene: Scene, piece: Piece, slice: number, band: Band): void {
  const { range, palette, fit, dpr } = scene;
  const { tile } = piece.tile;
  const start = tile.start[slice] ?? 0;
  const seenFrom = Math.max(start, range.start);
  if (seenFrom < piece.start || seenFrom >= piece.end) return;
  const x = xOf(scene, seenFrom);
  const seenTo = Math.min(start + (tile.duration[slice] ?? 0), range.end);
  const count = tile.count[slice] ?? 1;
  const name = count > 1 ? `${count} iterations` : labelOf(tile.names.at(tile.name[slice] ?? 0));
  const label = fit.fit(name, xOf(scene, seenTo) - x - 8, 2);
  if (label === "") return;
  ctx.fillStyle = palette.onCategory[tile.category[slice] ?? 0] ?? palette.ink;
  ctx.fillText(label, Math.round((x + 5) * dpr), Math.round((band.top + band.height / 2) * dpr));
}

/** The band under the axis, and lines through the lanes at the start of iterations. */
function drawIterations(ctx: Context, scene: Scene): void {
  const lane = scene.layout.iterations;
  if (lane === undefined) return;
  const set = scene.sets.find((candidate) => candidate.lanes.includes(lane));
  const pieces = set === undefined ? [] : (scene.pieces[set.id] ?? []);
  const band = { top: AXIS_HEIGHT + 2, height: ITERATION_HEIGHT - 4 };
  for (const piece of pieces) drawIterationPiece(ctx, scene, piece, lane.id, band, false);
  for (const piece of pieces) drawIterationPiece(ctx, scene, piece, lane.id, band, true);
  ctx.fillStyle = scene.palette.line;
  horizontalLine(ctx, scene, headerHeight(scene.layout));
}

/** Draws the whole canvas. The context's transform must be the identity. */
export function drawScene(
  ctx: Context,
  scene: Scene,
  raster: RowRaster,
  canvas: RasterCanvas,
): void {
  const ticks = ticksFor(scene.range, scene.width);
  ctx.font = scene.font;
  ctx.textBaseline = "middle";
  ctx.textAlign = "left";
  drawBackground(ctx, scene, ticks);
  drawLanes(ctx, scene, raster, canvas);
  drawWash(ctx, scene);
  drawAxis(ctx, scene, ticks);
  drawIterations(ctx, scene);
}
