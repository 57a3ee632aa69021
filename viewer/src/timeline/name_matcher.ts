// Finds the names of a tile that contain the searched text.

import type { Tile } from "./tile";

export class NameMatcher {
  private readonly needle: string;
  private readonly known = new WeakMap<Tile, Uint8Array>();

  constructor(readonly query: string) {
    this.needle = query.toLowerCase();
  }

  /** 1 for each name of the tile that matches. */
  matches(tile: Tile): Uint8Array {
    const known = this.known.get(tile);
    if (known !== undefined) return known;
    const result = new Uint8Array(tile.names.size);
    for (let i = 0; i < result.length; ++i) {
      result[i] = tile.names.at(i).toLowerCase().includes(this.needle) ? 1 : 0;
    }
    this.known.set(tile, result);
    return result;
  }
}
