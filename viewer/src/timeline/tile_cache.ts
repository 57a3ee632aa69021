// Tiles that were fetched, are being fetched or should be fetched. Independent of pixels.

import { decodeTile, type Tile } from "./tile";
import { type PaintedTile, paintTile } from "./tile_paint";

/** Fetches one tile's bytes. Rejects with an AbortError if the signal is aborted. */
export type FetchTile = (
  set: number,
  level: number,
  index: number,
  signal: AbortSignal,
) => Promise<ArrayBuffer>;

export interface TileKey {
  readonly set: number;
  readonly level: number;
  readonly index: number;
}

/**
 * A part of the time axis with the tile from which to draw it, which may be coarser or finer than
 * requested.
 */
export interface Piece {
  tile: PaintedTile;
  start: number;
  end: number;
}

export interface TileCacheOptions {
  fetch: FetchTile;
  span: number;
  maxLevel: number;
  maxBytes?: number;
  maxInFlight?: number;
  /** Called when a tile has arrived, or is known not to exist. */
  onChange: () => void;
  onError: (error: unknown) => void;
  /** Whether an error means that this tile does not exist, so that a coarser one must be used. */
  isMissing: (error: unknown) => boolean;
  isAbort: (error: unknown) => boolean;
}

interface Flight {
  key: TileKey;
  controller: AbortController;
}

/**
 * The number of concurrent requests of a browser to one HTTP/1.1 server. Further ones would wait
 * where aborting is expensive.
 */
const MAX_IN_FLIGHT = 6;
const MAX_BYTES = 256 << 20;

/** Sets, levels and indices are far below these limits, so a key is an exact number. */
const LEVELS = 64;
const INDICES = 2 ** 32;

function numberOf(set: number, level: number, index: number): number {
  return (set * LEVELS + level) * INDICES + index;
}

/**
 * Caches tiles. If there are more than `maxBytes`, the least recently used ones are dropped. The
 * needed tiles are set again whenever the view changes; requests that are no longer needed are
 * aborted.
 */
export class TileCache {
  private readonly tiles = new Map<number, PaintedTile>();
  private readonly flights = new Map<number, Flight>();
  private readonly missing = new Set<number>();
  private readonly failed = new Set<number>();
  private wanted: TileKey[] = [];
  private wantedNumbers = new Set<number>();
  private bytes = 0;
  private closed = false;

  constructor(private readonly options: TileCacheOptions) {}

  get byteLength(): number {
    return this.bytes;
  }

  get inFlight(): number {
    return this.flights.size;
  }

  /** Whether any requested tile does not exist. */
  get reduced(): boolean {
    return this.missing.size > 0;
  }

  get(set: number, level: number, index: number): PaintedTile | undefined {
    const number = numberOf(set, level, index);
    const tile = this.tiles.get(number);
    if (tile !== undefined) {
      this.tiles.delete(number);
      this.tiles.set(number, tile);
    }
    return tile;
  }

  /**
   * Sets the needed tiles, most important first. Missing ones are replaced by the nearest coarser
   * ones.
   */
  want(keys: readonly TileKey[]): void {
    this.wanted = [];
    this.wantedNumbers = new Set();
    for (const key of keys) this.addWanted(key);
    for (const [number, flight] of this.flights) {
      if (this.wantedNumbers.has(number)) continue;
      this.flights.delete(number);
      flight.controller.abort();
    }
    this.pump();
  }

  /** Returns a tile, fetching and caching it if necessary; null if it does not exist. */
  async load(set: number, level: number, index: number): Promise<Tile | null> {
    const here = this.get(set, level, index);
    if (here !== undefined) return here.tile;
    const number = numberOf(set, level, index);
    if (this.missing.has(number)) return null;
    try {
      const buffer = await this.options.fetch(set, level, index, new AbortController().signal);
      return this.keep({ set, level, index }, buffer).tile;
    } catch (error) {
      if (!this.options.isMissing(error)) throw error;
      this.missing.add(number);
      return null;
    }
  }

  /** Retries failed requests. */
  retry(): void {
    this.failed.clear();
    this.pump();
  }

  close(): void {
    this.closed = true;
    for (const flight of this.flights.values()) flight.controller.abort();
    this.flights.clear();
  }

  /**
   * Pieces that cover tiles `first` … `last` of a level as well as possible with cached tiles: the
   * tile, otherwise its finer halves, otherwise the nearest coarser tile. Neighbors drawn from the
   * same tile are joined.
   */
  cover(set: number, level: number, first: number, last: number, into: Piece[]): Piece[] {
    into.length = 0;
    for (let index = first; index <= last; ++index) {
      const exact = this.get(set, level, index);
      if (exact !== undefined) this.addPiece(into, exact, level, index);
      else this.coverWithOthers(set, level, index, into);
    }
    return into;
  }

  private coverWithOthers(set: number, level: number, index: number, into: Piece[]): void {
    const left = this.get(set, level + 1, 2 * index);
    const right = this.get(set, level + 1, 2 * index + 1);
    const coarser = left && right ? undefined : this.nearestCoarser(set, level, index);
    const first = left ?? coarser;
    const second = right ?? coarser;
    if (first !== undefined) this.addPiece(into, first, level + 1, 2 * index);
    if (second !== undefined) this.addPiece(into, second, level + 1, 2 * index + 1);
  }

  private nearestCoarser(set: number, level: number, index: number): PaintedTile | undefined {
    let at = index;
    for (let coarser = level - 1; coarser >= 0; --coarser) {
      at = Math.floor(at / 2);
      const tile = this.get(set, coarser, at);
      if (tile !== undefined) return tile;
    }
    return undefined;
  }

  private addPiece(into: Piece[], tile: PaintedTile, level: number, index: number): void {
    const length = this.options.span / 2 ** level;
    const start = index * length;
    const before = into[into.length - 1];
    if (before !== undefined && before.tile === tile && before.end === start) {
      before.end = start + length;
      return;
    }
    into.push({ tile, start, end: start + length });
  }

  private addWanted({ set, level, index }: TileKey): void {
    let at = { set, level: Math.min(level, this.options.maxLevel), index };
    while (this.missing.has(numberOf(set, at.level, at.index)) && at.level > 0) {
      at = { set, level: at.level - 1, index: Math.floor(at.index / 2) };
    }
    const number = numberOf(set, at.level, at.index);
    if (this.wantedNumbers.has(number)) return;
    this.wantedNumbers.add(number);
    this.wanted.push(at);
  }

  private pump(): void {
    if (this.closed) return;
    const limit = this.options.maxInFlight ?? MAX_IN_FLIGHT;
    for (const key of this.wanted) {
      if (this.flights.size >= limit) return;
      const number = numberOf(key.set, key.level, key.index);
      if (this.tiles.has(number) || this.flights.has(number)) continue;
      if (this.missing.has(number) || this.failed.has(number)) continue;
      void this.fly(key, number);
    }
  }

  private async fly(key: TileKey, number: number): Promise<void> {
    const flight: Flight = { key, controller: new AbortController() };
    this.flights.set(number, flight);
    try {
      const buffer = await this.options.fetch(
        key.set,
        key.level,
        key.index,
        flight.controller.signal,
      );
      if (this.closed) return;
      this.keep(key, buffer);
      this.options.onChange();
    } catch (error) {
      if (this.closed || flight.controller.signal.aborted || this.options.isAbort(error)) return;
      if (this.options.isMissing(error)) {
        this.missing.add(number);
        if (this.wantedNumbers.has(number)) this.addWanted(key);
        this.options.onChange();
      } else {
        this.failed.add(number);
        this.options.onError(error);
      }
    } finally {
      if (this.flights.get(number) === flight) this.flights.delete(number);
      this.pump();
    }
  }

  private keep(key: TileKey, buffer: ArrayBuffer): PaintedTile {
    const length = this.options.span / 2 ** key.level;
    const tile = paintTile(decodeTile(buffer), key.index * length, length);
    this.add(numberOf(key.set, key.level, key.index), tile);
    return tile;
  }

  private add(number: number, tile: PaintedTile): void {
    const before = this.tiles.get(number);
    if (before !== undefined) this.bytes -= sizeOf(before.tile);
    this.tiles.set(number, tile);
    this.bytes += sizeOf(tile.tile);
    const limit = this.options.maxBytes ?? MAX_BYTES;
    for (const [oldest, old] of this.tiles) {
      if (this.bytes <= limit) break;
      // Tiles on screen stay even if they alone exceed the limit.
      if (this.wantedNumbers.has(oldest) || oldest === number) continue;
      this.tiles.delete(oldest);
      this.bytes -= sizeOf(old.tile);
    }
  }
}

/**
 * Painting adds 8 bytes to about 38 per slice, and names become strings: estimated as twice the
 * bytes.
 */
function sizeOf(tile: Tile): number {
  return tile.bytes * 2;
}
