import { deflateSync, inflateSync } from "node:zlib";

/**
 * A screenshot with at most 256 colors, which is about half as large. Reads what Chromium writes: 8
 * bits, RGB or RGBA, not interlaced.
 */
export function reduceColors(bytes: Buffer): Buffer {
  const image = decode(bytes);
  const palette = choosePalette(image.colors);
  const nearest = new Map<number, number>();
  const pixels = Buffer.alloc((image.width + 1) * image.height);
  for (let y = 0; y < image.height; y += 1) {
    for (let x = 0; x < image.width; x += 1) {
      const color = image.colors[y * image.width + x] ?? 0;
      let index = nearest.get(color);
      if (index === undefined) {
        index = nearestIn(palette, color);
        nearest.set(color, index);
      }
      // The first byte of each line is its filter: 0 for none, which is best for palettes.
      pixels[y * (image.width + 1) + 1 + x] = index;
    }
  }
  return encode(image.width, image.height, palette, pixels);
}

interface Image {
  width: number;
  height: number;
  /** 0xRRGGBB, row by row. */
  colors: Uint32Array;
}

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

function decode(bytes: Buffer): Image {
  let width = 0;
  let height = 0;
  let channels = 3;
  const parts: Buffer[] = [];
  for (let at = SIGNATURE.length; at < bytes.length; ) {
    const length = bytes.readUInt32BE(at);
    const type = bytes.toString("latin1", at + 4, at + 8);
    const data = bytes.subarray(at + 8, at + 8 + length);
    if (type === "IHDR") {
      width = data.readUInt32BE(0);
      height = data.readUInt32BE(4);
      channels = data[9] === 6 ? 4 : 3;
    } else if (type === "IDAT") parts.push(data);
    at += length + 12;
  }
  const lines = unfilter(inflateSync(Buffer.concat(parts)), width * channels, height, channels);
  const colors = new Uint32Array(width * height);
  for (let i = 0; i < colors.length; i += 1) {
    const at = i * channels;
    colors[i] = ((lines[at] ?? 0) << 16) | ((lines[at + 1] ?? 0) << 8) | (lines[at + 2] ?? 0);
  }
  return { width, height, colors };
}

/** Reverses the prediction of each line from its neighbors. */
function unfilter(raw: Buffer, stride: number, height: number, channels: number): Uint8Array {
  const out = new Uint8Array(stride * height);
  for (let y = 0; y < height; y += 1) {
    const filter = raw[y * (stride + 1)] ?? 0;
    for (let x = 0; x < stride; x += 1) {
      const left = x >= channels ? (out[y * stride + x - channels] ?? 0) : 0;
      const above = y > 0 ? (out[(y - 1) * stride + x] ?? 0) : 0;
      const corner = x >= channels && y > 0 ? (out[(y - 1) * stride + x - channels] ?? 0) : 0;
      const predicted = [0, left, above, (left + above) >> 1, paeth(left, above, corner)][filter];
      out[y * stride + x] = (raw[y * (stride + 1) + 1 + x] ?? 0) + (predicted ?? 0);
    }
  }
  return out;
}

function paeth(left: number, above: number, corner: number): number {
  const guess = left + above - corner;
  const [a, b, c] = [Math.abs(guess - left), Math.abs(guess - above), Math.abs(guess - corner)];
  return a <= b && a <= c ? left : b <= c ? above : corner;
}

type Counted = { color: number; count: number };
const channel = (color: number, shift: number) => (color >> shift) & 255;

/** Median cut: the box with the largest range of colors is divided until there are 256. */
function choosePalette(colors: Uint32Array): number[] {
  const counts = new Map<number, number>();
  for (const color of colors) counts.set(color, (counts.get(color) ?? 0) + 1);
  let boxes: Counted[][] = [[...counts].map(([color, count]) => ({ color, count }))];
  while (boxes.length < 256) {
    const widths = boxes.map((box) => widest(box));
    const largest = widths.reduce(
      (best, width, i) => (width.size > (widths[best]?.size ?? 0) ? i : best),
      0,
    );
    const box = boxes[largest];
    const width = widths[largest];
    if (!box || !width || width.size === 0) break;
    box.sort((a, b) => channel(a.color, width.shift) - channel(b.color, width.shift));
    boxes = [...boxes.slice(0, largest), ...boxes.slice(largest + 1), ...halves(box)];
  }
  return boxes.map(average);
}

function halves(box: Counted[]): [Counted[], Counted[]] {
  const middle = Math.max(1, Math.floor(box.length / 2));
  return [box.slice(0, middle), box.slice(middle)];
}

/** The channel in which a box is widest and its width, weighted by the number of pixels. */
function widest(box: Counted[]): { shift: number; size: number } {
  const weight = Math.log2(1 + box.reduce((sum, { count }) => sum + count, 0));
  return [16, 8, 0]
    .map((shift) => {
      const values = box.map(({ color }) => channel(color, shift));
      return { shift, size: (Math.max(...values) - Math.min(...values)) * weight };
    })
    .reduce((best, width) => (width.size > best.size ? width : best));
}

/** The average color of a box; large areas of one color keep it exactly. */
function average(box: Counted[]): number {
  const sum = box.reduce((total, { count }) => total + count, 0);
  const most = box.reduce((best, entry) => (entry.count > best.count ? entry : best));
  if (most.count > sum / 2) return most.color;
  const mean = (shift: number) =>
    Math.round(
      box.reduce((total, { color, count }) => total + channel(color, shift) * count, 0) / sum,
    );
  return (mean(16) << 16) | (mean(8) << 8) | mean(0);
}

function nearestIn(palette: number[], color: number): number {
  let best = 0;
  let least = Number.POSITIVE_INFINITY;
  for (const [i, candidate] of palette.entries()) {
    const distance = [16, 8, 0].reduce(
      (sum, shift) => sum + (channel(candidate, shift) - channel(color, shift)) ** 2,
      0,
    );
    if (distance < least) [best, least] = [i, distance];
  }
  return best;
}

function encode(width: number, height: number, palette: number[], pixels: Buffer): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 3, 0, 0, 0], 8);
  const colors = Buffer.from(
    palette.flatMap((color) => [16, 8, 0].map((shift) => channel(color, shift))),
  );
  return Buffer.concat([
    SIGNATURE,
    chunk("IHDR", header),
    chunk("PLTE", colors),
    chunk("IDAT", deflateSync(pixels, { level: 9, memLevel: 9 })),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const frame = Buffer.alloc(8);
  frame.writeUInt32BE(data.length, 0);
  frame.writeUInt32BE(crc(body), 4);
  return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)]);
}

function crc(data: Buffer): number {
  let value = 0xffffffff;
  for (const byte of data) {
    value ^= byte;
    for (let bit = 0; bit < 8; bit += 1)
      value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  }
  return (value ^ 0xffffffff) >>> 0;
}
