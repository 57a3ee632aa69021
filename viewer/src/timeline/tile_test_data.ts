// Tiles for tests, written according to the format's description rather than with the decoder's
// code.

export interface TestSlice {
  lane: number;
  depth: number;
  start: number;
  duration: number;
  event?: number;
  name?: string;
  count?: number;
  cover?: number;
  category?: number;
  table?: number;
}

class Writer {
  private bytes: number[] = [];

  get size(): number {
    return this.bytes.length;
  }

  number(size: number, set: (view: DataView) => void): void {
    const view = new DataView(new ArrayBuffer(size));
    set(view);
    for (let i = 0; i < size; ++i) this.bytes.push(view.getUint8(i));
  }

  u8(value: number): void {
    this.bytes.push(value);
  }

  u32(value: number): void {
    this.number(4, (view) => view.setUint32(0, value, true));
  }

  f32(value: number): void {
    this.number(4, (view) => view.setFloat32(0, value, true));
  }

  f64(value: number): void {
    this.number(8, (view) => view.setFloat64(0, value, true));
  }

  pad(to: number): void {
    while (this.bytes.length % to !== 0) this.bytes.push(0);
  }

  raw(bytes: Iterable<number>): void {
    for (const byte of bytes) this.bytes.push(byte);
  }

  buffer(): ArrayBuffer {
    return new Uint8Array(this.bytes).buffer;
  }
}

/** Slices must be ordered by lane and depth, then by start. */
export function encodeTile(
  slices: readonly TestSlice[],
  values: ReadonlyMap<number, readonly number[]> = new Map(),
): ArrayBuffer {
  const rows: { lane: number; depth: number; first: number; count: number }[] = [];
  const names: string[] = [];
  slices.forEach((slice, index) => {
    const last = rows[rows.length - 1];
    if (last?.lane === slice.lane && last.depth === slice.depth) last.count += 1;
    else rows.push({ lane: slice.lane, depth: slice.depth, first: index, count: 1 });
    const name = slice.name ?? "event";
    if (!names.includes(name)) names.push(name);
  });
  const out = new Writer();
  out.u32(0x31545357);
  for (const size of [rows.length, slices.length, values.size, names.length]) out.u32(size);
  for (const row of rows) {
    for (const word of [row.lane, row.depth, row.first, row.count]) out.u32(word);
  }
  for (const lane of values.keys()) {
    out.u32(lane);
    out.u32(1024);
  }
  out.pad(8);
  for (const slice of slices) out.f64(slice.start);
  for (const slice of slices) out.f64(slice.duration);
  for (const [index, slice] of slices.entries()) out.u32(slice.event ?? index);
  for (const slice of slices) out.u32(names.indexOf(slice.name ?? "event"));
  for (const slice of slices) out.u32(slice.count ?? 1);
  for (const slice of slices) out.f32(slice.cover ?? 1);
  for (const slice of slices) out.u8(slice.category ?? 0);
  for (const slice of slices) out.u8(slice.table ?? 0);
  out.pad(4);
  for (const row of values.values()) {
    for (let i = 0; i < 1024; ++i) out.f32(row[i] ?? Number.NaN);
  }
  const utf8 = names.map((name) => new TextEncoder().encode(name));
  let end = 0;
  for (const name of utf8) {
    end += name.length;
    out.u32(end);
  }
  for (const name of utf8) out.raw(name);
  return out.buffer();
}
