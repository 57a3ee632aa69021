// The binary tile of docs/api.md, as typed arrays over the received bytes.

const MAGIC = 0x31545357;
export const BUCKETS = 1024;

export const TABLES = ["host", "api", "gpu", "gap", "iteration", "annotation", "stretch"] as const;
export type Table = (typeof TABLES)[number];

/** A row of slices in a tile: `first` … `first + count − 1`, ordered by start. */
export interface TileRow {
  readonly lane: number;
  readonly depth: number;
  readonly first: number;
  readonly count: number;
}

export interface Tile {
  readonly bytes: number;
  readonly rows: readonly TileRow[];
  readonly start: Float64Array;
  readonly duration: Float64Array;
  readonly event: Uint32Array;
  readonly name: Uint32Array;
  readonly count: Uint32Array;
  readonly cover: Float32Array;
  readonly category: Uint8Array;
  readonly table: Uint8Array;
  /** The values of counter lanes by lane, 1024 each. */
  readonly values: ReadonlyMap<number, Float32Array>;
  readonly names: NameTable;
}

/** The received bytes are not a complete tile. */
export class TileError extends Error {
  override readonly name = "TileError";
}

/** Decodes names on first use, since most slices are too narrow for a label. */
export class NameTable {
  private readonly decoded: (string | undefined)[];

  constructor(
    private readonly ends: Uint32Array,
    private readonly utf8: Uint8Array,
  ) {
    this.decoded = new Array(ends.length);
  }

  get size(): number {
    return this.ends.length;
  }

  at(index: number): string {
    const known = this.decoded[index];
    if (known !== undefined) return known;
    const text = decoder.decode(this.utf8At(index));
    this.decoded[index] = text;
    return text;
  }

  utf8At(index: number): Uint8Array {
    return this.utf8.subarray(index === 0 ? 0 : this.ends[index - 1], this.ends[index]);
  }
}

const decoder = new TextDecoder();

/** Reads the parts of the buffer in order, and never beyond its end. */
class Parts {
  private offset = 0;

  constructor(private readonly buffer: ArrayBuffer) {}

  take(bytes: number, what: string): number {
    const at = this.offset;
    if (at + bytes > this.buffer.byteLength) {
      throw new TileError(
        `the tile ends within its ${what}: ${this.buffer.byteLength} bytes, at least ${at + bytes} expected`,
      );
    }
    this.offset = at + bytes;
    return at;
  }

  align(to: number): void {
    const rest = this.offset % to;
    if (rest !== 0) this.take(to - rest, "padding");
  }

  get left(): number {
    return this.buffer.byteLength - this.offset;
  }

  u32(count: number, what: string): Uint32Array {
    return new Uint32Array(this.buffer, this.take(count * 4, what), count);
  }

  f64(count: number, what: string): Float64Array {
    return new Float64Array(this.buffer, this.take(count * 8, what), count);
  }

  f32(count: number, what: string): Float32Array {
    return new Float32Array(this.buffer, this.take(count * 4, what), count);
  }

  u8(count: number, what: string): Uint8Array {
    return new Uint8Array(this.buffer, this.take(count, what), count);
  }
}

function readRows(words: Uint32Array, slices: number): TileRow[] {
  const rows: TileRow[] = [];
  for (let i = 0; i < words.length; i += 4) {
    const [lane, depth, first, count] = words.subarray(i, i + 4);
    if (lane === undefined || depth === undefined || first === undefined || count === undefined) {
      break;
    }
    if (first + count > slices) {
      throw new TileError(`a row of the tile ends at slice ${first + count} of ${slices}`);
    }
    rows.push({ lane, depth, first, count });
  }
  return rows;
}

function checkSlices(tile: Tile): void {
  const { start, duration, name, table, rows, names } = tile;
  for (let i = 0; i < start.length; ++i) {
    const from = start[i] ?? Number.NaN;
    const length = duration[i] ?? Number.NaN;
    if (!Number.isFinite(from) || !(length >= 0) || length === Number.POSITIVE_INFINITY) {
      throw new TileError(`slice ${i} of the tile has no valid time`);
    }
    if ((name[i] ?? 0) >= names.size) throw new TileError(`slice ${i} of the tile has no name`);
    if ((table[i] ?? 0) >= TABLES.length) {
      throw new TileError(`slice ${i} of the tile is of an unknown table`);
    }
  }
  for (const row of rows) {
    for (let i = row.first + 1; i < row.first + row.count; ++i) {
      if ((start[i] ?? 0) < (start[i - 1] ?? 0)) {
        throw new TileError(`slices of lane ${row.lane} are not in order of time`);
      }
    }
  }
}

export function decodeTile(buffer: ArrayBuffer): Tile {
  const parts = new Parts(buffer);
  const [magic] = parts.u32(1, "header");
  if (magic !== MAGIC) throw new TileError("these bytes are not a timeline tile");
  const [rowCount = 0, slices = 0, valueRows = 0, nameCount = 0] = parts.u32(4, "header");
  const rows = readRows(parts.u32(rowCount * 4, "rows"), slices);
  const valueHeads = parts.u32(valueRows * 2, "value rows");
  parts.align(8);
  const start = parts.f64(slices, "starts");
  const duration = parts.f64(slices, "durations");
  const event = parts.u32(slices, "events");
  const name = parts.u32(slices, "name indices");
  const count = parts.u32(slices, "counts");
  const cover = parts.f32(slices, "covers");
  const category = parts.u8(slices, "categories");
  const table = parts.u8(slices, "tables");
  parts.align(4);
  const values = new Map<number, Float32Array>();
  for (let i = 0; i < valueRows; ++i) {
    if (valueHeads[2 * i + 1] !== BUCKETS) {
      throw new TileError(`a row of the tile has ${valueHeads[2 * i + 1]} values, not ${BUCKETS}`);
    }
    values.set(valueHeads[2 * i] ?? 0, parts.f32(BUCKETS, "values"));
  }
  const ends = parts.u32(nameCount, "name ends");
  for (let i = 1; i < nameCount; ++i) {
    if ((ends[i] ?? 0) < (ends[i - 1] ?? 0)) throw new TileError("names of the tile overlap");
  }
  const utf8 = parts.u8(nameCount === 0 ? 0 : (ends[nameCount - 1] ?? 0), "names");
  const tile: Tile = {
    bytes: buffer.byteLength,
    rows,
    start,
    duration,
    event,
    name,
    count,
    cover,
    category,
    table,
    values,
    names: new NameTable(ends, utf8),
  };
  checkSlices(tile);
  return tile;
}

/** The event of a slice in the API's format, such as `gpu:123`. */
export function eventOfSlice(tile: Tile, slice: number): string {
  return `${TABLES[tile.table[slice] ?? 0] ?? "host"}:${tile.event[slice] ?? 0}`;
}
