// The paint of a tile's slices: the category's color, slightly different by name, and paler if
// several events leave much of the slice empty. It depends only on the tile and is computed once.

import type { Tile } from "./tile";

/** The number of shades for merged slices: the less of a slice is filled, the paler it is. */
export const COVER_STEPS = 4;
/**
 * Slices of a category differ slightly by name, so that a row of ops does not look like one slice.
 */
export const SHADES = 3;
export const KEYS_PER_CATEGORY = COVER_STEPS * SHADES;

export interface PaintedTile {
  readonly tile: Tile;
  /** The time interval of the tile, ns. */
  readonly start: number;
  readonly length: number;
  /** By slice: its paint, an index in the palette. */
  readonly paint: Uint16Array;
}

export function paintKey(category: number, shade: number, cover: number): number {
  return (category * SHADES + shade) * COVER_STEPS + cover;
}

/** 0 for a nearly empty slice, COVER_STEPS − 1 for a full one. */
export function coverStep(cover: number): number {
  const step = Math.ceil(Math.min(Math.max(cover, 0), 1) * COVER_STEPS) - 1;
  return Math.max(step, 0);
}

/** The same name has the same shade in every tile: FNV-1a of its bytes. */
export function shadeOf(utf8: Uint8Array): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < utf8.length; ++i) hash = Math.imul(hash ^ (utf8[i] ?? 0), 0x01000193);
  return ((hash >>> 8) & 0xffff) % SHADES;
}

export function paintTile(tile: Tile, start: number, length: number): PaintedTile {
  const slices = tile.start.length;
  const shades = new Uint8Array(tile.names.size);
  for (let i = 0; i < shades.length; ++i) shades[i] = shadeOf(tile.names.utf8At(i));
  const paint = new Uint16Array(slices);
  for (let i = 0; i < slices; ++i) {
    const cover = (tile.count[i] ?? 1) > 1 ? coverStep(tile.cover[i] ?? 1) : COVER_STEPS - 1;
    paint[i] = paintKey(tile.category[i] ?? 0, shades[tile.name[i] ?? 0] ?? 0, cover);
  }
  return { tile, start, length, paint };
}
