// Moves from slice to slice: along a row, also beyond loaded tiles, and up and down between rows.

import { type Hit, neighborInRow, overlapping, type PlacedEvent } from "./hit_test";
import type { Layout } from "./layout";
import type { Tile } from "./tile";
import type { Piece } from "./tile_cache";

export interface TileSource {
  /** A tile of the row's lane set, fetched if necessary. */
  tile(level: number, index: number): Promise<Tile | null>;
  readonly span: number;
}

/**
 * The slice after or before `from` in its row. Coarser tiles are searched until one has such a
 * slice. Since that slice may represent many events, the fine tile at its position decides.
 */
export async function walkRow(
  source: TileSource,
  from: PlacedEvent,
  direction: 1 | -1,
  level: number,
): Promise<Hit | null> {
  for (let coarser = level; coarser >= 0; --coarser) {
    const length = source.span / 2 ** coarser;
    const index = Math.max(Math.floor(from.start / length), 0);
    const tile = await source.tile(coarser, index);
    const hit =
      tile === null ? null : neighborInRow(tile, from.lane, from.depth, from.start, direction);
    // A slice that extends into this tile from another one is also in this one, with its true
    // start.
    if (hit === null || isOutside(hit, from, direction)) continue;
    if (coarser === level || hit.count === 1) return hit;
    const at = direction > 0 ? hit.start : hit.start + hit.duration;
    const fineLength = source.span / 2 ** level;
    const fine = await source.tile(level, Math.max(Math.floor(at / fineLength), 0));
    const better =
      fine === null
        ? null
        : neighborInRow(fine, from.lane, from.depth, direction > 0 ? hit.start - 1 : at, direction);
    return better ?? hit;
  }
  return null;
}

/** The slice that contains the event itself is not a neighbor. */
function isOutside(hit: Hit, from: PlacedEvent, direction: 1 | -1): boolean {
  return direction < 0
    ? hit.start <= from.start && hit.start + hit.duration >= from.start + from.duration
    : false;
}

interface Row {
  lane: number;
  depth: number;
}

/** Rows of slices in displayed order. */
export function rowsInOrder(layout: Layout): Row[] {
  const rows: Row[] = [];
  if (layout.iterations !== undefined) rows.push({ lane: layout.iterations.id, depth: 0 });
  for (const box of layout.boxes) {
    if (box.kind !== "lane" || box.lane.kind === "utilization" || box.lane.kind === "queue")
      continue;
    for (let depth = 0; depth < box.rows; ++depth) rows.push({ lane: box.lane.id, depth });
  }
  return rows;
}

/** The nearest row above or below that has a slice at the event's time. */
export function walkRows(
  layout: Layout,
  piecesOfLane: (lane: number) => readonly Piece[],
  from: PlacedEvent,
  direction: 1 | -1,
  visible: { start: number; end: number },
): Hit | null {
  const rows = rowsInOrder(layout);
  let at = rows.findIndex((row) => row.lane === from.lane && row.depth === from.depth);
  if (at < 0) return null;
  const start = Math.max(from.start, visible.start);
  const end = Math.max(Math.min(from.start + from.duration, visible.end), start);
  for (at += direction; at >= 0 && at < rows.length; at += direction) {
    const row = rows[at];
    if (row === undefined) break;
    const hit = overlapping(piecesOfLane(row.lane), row.lane, row.depth, start, end);
    if (hit !== null) return hit;
  }
  return null;
}
