// Draws utilization and queue depth as areas, one column of pixels at a time.

import { categoryColor } from "../base/colors";
import type { LaneBox } from "./layout";
import { mix } from "./palette";
import { canvasY, type Scene } from "./scene";
import { BUCKETS } from "./tile";
import type { Piece } from "./tile_cache";

/** The mean of the values in a column, ignoring buckets without a value. */
export function meanOf(values: Float32Array, from: number, to: number): number {
  let sum = 0;
  let count = 0;
  for (let i = Math.max(from, 0); i < Math.min(to, values.length); ++i) {
    const value = values[i] ?? Number.NaN;
    if (Number.isNaN(value)) continue;
    sum += value;
    count += 1;
  }
  return count === 0 ? Number.NaN : sum / count;
}

interface Area {
  top: number;
  bottom: number;
  edge: number;
  fill: string;
  line: string;
}

function drawRun(
  ctx: CanvasRenderingContext2D,
  area: Area,
  from: number,
  to: number,
  height: number,
): void {
  if (height < 0 || to <= from) return;
  ctx.fillStyle = area.fill;
  ctx.fillRect(from, area.bottom - height, to - from, height);
  ctx.fillStyle = area.line;
  ctx.fillRect(from, area.bottom - Math.max(height, area.edge), to - from, area.edge);
}

function drawPiece(
  ctx: CanvasRenderingContext2D,
  scene: Scene,
  piece: Piece,
  values: Float32Array,
  max: number,
  area: Area,
): void {
  const { range, dpr } = scene;
  const scale = (scene.width * dpr) / (range.end - range.start);
  const first = Math.round((Math.max(piece.start, range.start) - range.start) * scale);
  const last = Math.round((Math.min(piece.end, range.end) - range.start) * scale);
  const bucketsPerNs = BUCKETS / piece.tile.length;
  const room = area.bottom - area.top;
  let runStart = first;
  let runHeight = -1;
  for (let x = first; x < last; ++x) {
    const time = range.start + x / scale - piece.tile.start;
    // A column at the edge of a tile may begin a fraction of a pixel outside it.
    const from = Math.min(Math.max(Math.floor(time * bucketsPerNs), 0), BUCKETS - 1);
    const to = Math.max(Math.floor((time + 1 / scale) * bucketsPerNs), from + 1);
    const value = meanOf(values, from, to);
    const height = Number.isNaN(value) ? -1 : Math.round(Math.min(value / max, 1) * room);
    if (height === runHeight) continue;
    drawRun(ctx, area, runStart, x, runHeight);
    runStart = x;
    runHeight = height;
  }
  drawRun(ctx, area, runStart, last, runHeight);
}

export function drawCounter(
  ctx: CanvasRenderingContext2D,
  scene: Scene,
  pieces: readonly Piece[],
  box: LaneBox,
): void {
  const { palette, dpr } = scene;
  const color = categoryColor(
    box.lane.kind === "utilization" ? "other_kernels" : "annotation",
    palette.theme,
  );
  const top = canvasY(scene, box.rowTop);
  const area: Area = {
    top: Math.round((top + 2) * dpr),
    bottom: Math.round((top + box.rowHeight) * dpr),
    edge: Math.max(1, Math.round(dpr)),
    fill: mix(palette.background, color, 0.45),
    line: mix(palette.background, color, 0.95),
  };
  const max = Math.max(box.lane.max ?? 1, 1e-9);
  for (const piece of pieces) {
    const values = piece.tile.tile.values.get(box.lane.id);
    if (values !== undefined) drawPiece(ctx, scene, piece, values, max, area);
  }
}
