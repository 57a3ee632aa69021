// Finds the slice under the pointer, and its neighbors in the row.

import type { EventMatch } from "../base/api_types";
import { BUCKETS, eventOfSlice, type Tile, type TileRow } from "./tile";
import type { Piece } from "./tile_cache";

/** An event and its place. */
export type PlacedEvent = Pick<
  EventMatch,
  "event" | "name" | "start" | "duration" | "lane" | "depth"
>;

export interface Hit extends PlacedEvent {
  /** The number of events in the slice; the event is the longest of them. */
  count: number;
  /** The share of the slice that they fill. */
  cover: number;
  /** The index in the timeline's categories. */
  category: number;
}

/** The nearest slice within this many pixels is hit, so that thin slices can be selected. */
export const HIT_PIXELS = 3;

export function findRow(tile: Tile, lane: number, depth: number): TileRow | undefined {
  for (const row of tile.rows) {
    if (row.lane === lane && row.depth === depth) return row;
  }
  return undefined;
}

/** The number of slices of the row that start at or before the time. */
export function startedBy(tile: Tile, row: TileRow, time: number): number {
  let low = row.first;
  let high = row.first + row.count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((tile.start[middle] ?? 0) <= time) low = middle + 1;
    else high = middle;
  }
  return low - row.first;
}

function endOf(tile: Tile, slice: number): number {
  return (tile.start[slice] ?? 0) + (tile.duration[slice] ?? 0);
}

export function hitOfSlice(tile: Tile, row: TileRow, slice: number): Hit {
  return {
    event: eventOfSlice(tile, slice),
    name: tile.names.at(tile.name[slice] ?? 0),
    start: tile.start[slice] ?? 0,
    duration: tile.duration[slice] ?? 0,
    lane: row.lane,
    depth: row.depth,
    count: tile.count[slice] ?? 1,
    cover: tile.cover[slice] ?? 1,
    category: tile.category[slice] ?? 0,
  };
}

interface Nearest {
  hit: Hit | null;
  distance: number;
}

function consider(
  best: Nearest,
  tile: Tile,
  row: TileRow,
  slice: number,
  time: number,
  tolerance: number,
): void {
  if (slice < row.first || slice >= row.first + row.count) return;
  const from = tile.start[slice] ?? 0;
  const to = endOf(tile, slice);
  const distance = time < from ? from - time : time > to ? time - to : 0;
  if (distance <= tolerance && distance < best.distance) {
    best.distance = distance;
    best.hit = hitOfSlice(tile, row, slice);
  }
}

/** The slice of a row at a time, or the nearest one within the tolerance. */
export function sliceAt(
  pieces: readonly Piece[],
  lane: number,
  depth: number,
  time: number,
  tolerance: number,
): Hit | null {
  const best: Nearest = { hit: null, distance: Number.POSITIVE_INFINITY };
  for (const piece of pieces) {
    if (time + tolerance < piece.start || time - tolerance > piece.end) continue;
    const { tile } = piece.tile;
    const row = findRow(tile, lane, depth);
    if (row === undefined) continue;
    const last = row.first + startedBy(tile, row, time) - 1;
    consider(best, tile, row, last, time, tolerance);
    consider(best, tile, row, last + 1, time, tolerance);
  }
  return best.hit;
}

/** The value of a counter at a time; NaN if there is none. */
export function valueAt(pieces: readonly Piece[], lane: number, time: number): number {
  for (const { tile, start, end } of pieces) {
    if (time < start || time >= end) continue;
    const bucket = Math.floor(((time - tile.start) / tile.length) * BUCKETS);
    return tile.tile.values.get(lane)?.[bucket] ?? Number.NaN;
  }
  return Number.NaN;
}

/** The first slice that starts after `time`, or the last that starts before it. */
export function neighborInRow(
  tile: Tile,
  lane: number,
  depth: number,
  time: number,
  direction: 1 | -1,
): Hit | null {
  const row = findRow(tile, lane, depth);
  if (row === undefined) return null;
  let slice = row.first + startedBy(tile, row, time);
  if (direction < 0) {
    slice -= 1;
    while (slice >= row.first && (tile.start[slice] ?? 0) >= time) slice -= 1;
  }
  if (slice < row.first || slice >= row.first + row.count) return null;
  return hitOfSlice(tile, row, slice);
}

/** The slice of a row with the largest overlap with an interval. */
export function overlapping(
  pieces: readonly Piece[],
  lane: number,
  depth: number,
  start: number,
  end: number,
): Hit | null {
  let best: Hit | null = null;
  let most = 0;
  for (const { tile: painted } of pieces) {
    const { tile } = painted;
    const row = findRow(tile, lane, depth);
    if (row === undefined) continue;
    const from = row.first + Math.max(startedBy(tile, row, start) - 1, 0);
    for (let slice = from; slice < row.first + row.count; ++slice) {
      if ((tile.start[slice] ?? 0) > end) break;
      const shared = Math.min(endOf(tile, slice), end) - Math.max(tile.start[slice] ?? 0, start);
      if (shared >= 0 && (best === null || shared > most)) {
        most = shared;
        best = hitOfSlice(tile, row, slice);
      }
    }
  }
  return best;
}
