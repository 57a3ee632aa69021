// The order in which a tile's slices are drawn: by colour, so that a frame changes the canvas's fill style
// a few dozen times instead of thousands. It depends on nothing but the tile and is made once.

import type { Tile } from "./tile";

/** Slices of several events are drawn paler the less of them is filled; so many steps of it. */
export const COVER_STEPS = 4;
/** Neighbours of a category differ a little by name, or a row of ops would look like one. */
export const SHADES = 3;
export const KEYS_PER_CATEGORY = COVER_STEPS * SHADES;

/** Slices order[from] … order[to − 1] have the same paint. */
export interface PaintRun {
  readonly key: number;
  readonly from: number;
  readonly to: number;
}

export interface PaintedTile {
  readonly tile: Tile;
  /** The stretch that the tile is about, ns. */
  readonly start: number;
  readonly length: number;
  /** Slices by paint, then by row and time. */
  readonly order: Uint32Array;
  readonly runs: readonly PaintRun[];
  /** Row of the tile by slice. */
  readonly row: Uint16Array;
}

export function paintKey(category: number, shade: number, cover: number): number {
  return (category * SHADES + shade) * COVER_STEPS + cover;
}

/** 0 for a nearly empty slice, COVER_STEPS − 1 for a full one. */
export function coverStep(cover: number): number {
  const step = Math.ceil(Math.min(Math.max(cover, 0), 1) * COVER_STEPS) - 1;
  return Math.max(step, 0);
}

/** Same name, same shade, in every tile: FNV-1a of its bytes. */
export function shadeOf(utf8: Uint8Array): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < utf8.length; ++i) hash = Math.imul(hash ^ (utf8[i] ?? 0), 0x01000193);
  return ((hash >>> 8) & 0xffff) % SHADES;
}

export function paintTile(tile: Tile, start: number, length: number): PaintedTile {
  const slices = tile.start.length;
  const shades = new Uint8Array(tile.names.size);
  for (let i = 0; i < shades.length; ++i) shades[i] = shadeOf(tile.names.utf8At(i));
  const keys = new Uint16Array(slices);
  const counts = new Uint32Array(256 * KEYS_PER_CATEGORY + 1);
  for (let i = 0; i < slices; ++i) {
    const cover = (tile.count[i] ?? 1) > 1 ? coverStep(tile.cover[i] ?? 1) : COVER_STEPS - 1;
    const key = paintKey(tile.category[i] ?? 0, shades[tile.name[i] ?? 0] ?? 0, cover);
    keys[i] = key;
    counts[key + 1] = (counts[key + 1] ?? 0) + 1;
  }
  const runs: PaintRun[] = [];
  for (let key = 0; key + 1 < counts.length; ++key) {
    const from = counts[key] ?? 0;
    const to = from + (counts[key + 1] ?? 0);
    counts[key + 1] = to;
    if (to > from) runs.push({ key, from, to });
  }
  const order = new Uint32Array(slices);
  for (let i = 0; i < slices; ++i) {
    const key = keys[i] ?? 0;
    const at = counts[key] ?? 0;
    counts[key] = at + 1;
    order[at] = i;
  }
  const row = new Uint16Array(slices);
  tile.rows.forEach((tileRow, index) => {
    row.fill(index, tileRow.first, tileRow.first + tileRow.count);
  });
  return { tile, start, length, order, runs, row };
}
