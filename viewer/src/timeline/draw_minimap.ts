import type { Timeline } from "../base/api_types";
import { categoryColor } from "../base/colors";
import { meanOf } from "./draw_counters";
import type { PlacedEvent } from "./hit_test";
import { mix, type Palette } from "./palette";
import { BUCKETS, type Tile } from "./tile";
import type { Stretch } from "./timeline_model";

const BAND = 5;

/** The mean utilization of all GPUs in an interval of the run; NaN if none is known. */
export function meanUtilization(
  tiles: readonly Tile[],
  lanes: readonly number[],
  tileLength: number,
  from: number,
  to: number,
): number {
  let sum = 0;
  let count = 0;
  const last = Math.min(Math.floor(to / tileLength), tiles.length - 1);
  for (let index = Math.max(Math.floor(from / tileLength), 0); index <= last; ++index) {
    const scale = BUCKETS / tileLength;
    const first = Math.floor((from - index * tileLength) * scale);
    const end = Math.max(Math.ceil((to - index * tileLength) * scale), first + 1);
    for (const lane of lanes) {
      const values = tiles[index]?.values.get(lane);
      const mean = values === undefined ? Number.NaN : meanOf(values, first, end);
      if (Number.isNaN(mean)) continue;
      sum += mean;
      count += 1;
    }
  }
  return count === 0 ? Number.NaN : sum / count;
}

export function drawMinimap(
  ctx: CanvasRenderingContext2D,
  timeline: Timeline,
  tiles: readonly Tile[],
  palette: Palette,
  matches: readonly PlacedEvent[],
  stretch: Stretch | null,
): void {
  const { width, height } = ctx.canvas;
  const dpr = window.devicePixelRatio || 1;
  const whole = Math.max(timeline.end, 1);
  const xOf = (time: number) => Math.round((time / whole) * width);
  ctx.fillStyle = palette.background;
  ctx.fillRect(0, 0, width, height);
  const band = Math.round(BAND * dpr);
  const iterations = timeline.lanes.find((lane) => lane.kind === "iterations");
  for (const tile of tiles) {
    for (const row of tile.rows) {
      if (row.lane !== iterations?.id) continue;
      for (let slice = row.first; slice < row.first + row.count; ++slice) {
        const start = tile.start[slice] ?? 0;
        const x = xOf(start);
        const end = xOf(start + (tile.duration[slice] ?? 0));
        ctx.fillStyle = palette.category[tile.category[slice] ?? 0] ?? palette.faintInk;
        ctx.fillRect(x, 0, Math.max(end - x - (end - x > 3 ? 1 : 0), 1), band);
      }
    }
  }
  const lanes = timeline.lanes.filter((lane) => lane.kind === "utilization").map((lane) => lane.id);
  const tileLength = timeline.span / 2 ** Math.min(1, timeline.max_level);
  const room = height - band - 3 * dpr;
  ctx.fillStyle = mix(palette.background, categoryColor("other_kernels", palette.theme), 0.75);
  for (let x = 0; x < width; ++x) {
    const mean = meanUtilization(
      tiles,
      lanes,
      tileLength,
      (x / width) * whole,
      ((x + 1) / width) * whole,
    );
    if (Number.isNaN(mean)) continue;
    const bar = Math.round(Math.min(mean, 1) * room);
    ctx.fillRect(x, height - bar, 1, bar);
  }
  const { start, end } = timeline.range;
  if (end > start) {
    ctx.fillStyle = palette.wash;
    ctx.fillRect(0, 0, xOf(start), height);
    ctx.fillRect(xOf(end), 0, width - xOf(end), height);
  }
  if (stretch !== null) {
    ctx.fillStyle = palette.accentFill;
    ctx.fillRect(xOf(stretch.start), 0, Math.max(xOf(stretch.end) - xOf(stretch.start), 1), height);
  }
  ctx.fillStyle = palette.match;
  for (const match of matches) {
    ctx.fillRect(xOf(match.start), band, Math.max(1, Math.round(dpr)), height - band);
  }
}
