// Rasterizes slices. All slices of a row have the same height, so a row is a line of pixels that
// the canvas stretches. A slice then costs a few writes to memory, while a rectangle drawn by the
// canvas costs a hundred times as much. The memory for the lines is allocated once.

import { startedBy } from "./hit_test";
import { canvasY, type Scene } from "./scene";
import type { TileRow } from "./tile";
import type { Piece } from "./tile_cache";

/**
 * Slices of at least this width, in CSS pixels, are separated from the next by a pixel of
 * background.
 */
const GAP_FROM = 3;

/** Slices with room for a label, in the order in which they were found. */
export class LabelList {
  count = 0;
  slice = new Uint32Array(1024);
  /** The index of the piece among those of the frame. */
  piece = new Uint16Array(1024);
  /** The line of the raster. */
  line = new Uint16Array(1024);

  clear(): void {
    this.count = 0;
  }

  add(slice: number, piece: number, line: number): void {
    if (this.count === this.slice.length) this.grow();
    this.slice[this.count] = slice;
    this.piece[this.count] = piece;
    this.line[this.count] = line;
    this.count += 1;
  }

  private grow(): void {
    const size = this.count * 2;
    const slice = new Uint32Array(size);
    const piece = new Uint16Array(size);
    const line = new Uint16Array(size);
    slice.set(this.slice);
    piece.set(this.piece);
    line.set(this.line);
    Object.assign(this, { slice, piece, line });
  }
}

export class RowRaster {
  /** The number of device pixels of a line. */
  width = 0;
  lines = 0;
  /** ABGR, as in little-endian ImageData; 0 is empty. */
  pixels = new Uint32Array(0);
  /** The vertical position of each line on the canvas, in device pixels. */
  y = new Int32Array(0);
  height = new Int32Array(0);
  readonly labels = new LabelList();
  readonly pieces: Piece[] = [];
  private readonly firstLine = new Map<number, { line: number; depth: number; rows: number }>();

  /** Clears the raster and assigns a line to every visible row. */
  begin(scene: Scene): void {
    const { layout, dpr, height } = scene;
    this.width = Math.max(1, Math.round(scene.width * dpr));
    this.lines = 0;
    this.labels.clear();
    this.pieces.length = 0;
    this.firstLine.clear();
    for (const box of layout.lanes.values()) {
      const top = canvasY(scene, box.rowTop);
      if (top > height || top + box.height < 0) continue;
      const depth = Math.max(0, Math.floor(-top / box.rowHeight));
      const last = Math.min(box.rows - 1, Math.floor((height - top) / box.rowHeight));
      if (last < depth) continue;
      this.firstLine.set(box.lane.id, { line: this.lines, depth, rows: last - depth + 1 });
      this.reserve(this.lines + last - depth + 1);
      for (let row = depth; row <= last; ++row) {
        const from = Math.round((top + row * box.rowHeight) * dpr);
        this.y[this.lines] = from;
        this.height[this.lines] = Math.round((top + (row + 1) * box.rowHeight - 1) * dpr) - from;
        this.lines += 1;
      }
    }
    this.pixels.fill(0, 0, this.lines * this.width);
  }

  /** Paints the slices of a set of lanes. */
  paint(scene: Scene, pieces: readonly Piece[]): void {
    const { palette, matcher } = scene;
    for (const piece of pieces) {
      this.pieces.push(piece);
      if (matcher === null) {
        this.paintPiece(scene, piece, palette.packed, null, true);
      } else {
        this.paintPiece(scene, piece, palette.packedDim, null, true);
        this.paintPiece(scene, piece, palette.packed, matcher.matches(piece.tile.tile), false);
      }
    }
  }

  private paintPiece(
    scene: Scene,
    piece: Piece,
    colors: Uint32Array,
    matching: Uint8Array | null,
    labels: boolean,
  ): void {
    for (const row of piece.tile.tile.rows) {
      const place = this.firstLine.get(row.lane);
      if (place === undefined) continue;
      const offset = row.depth - place.depth;
      if (offset < 0 || offset >= place.rows) continue;
      this.paintRow(scene, piece, row, place.line + offset, colors, matching, labels);
    }
  }

  private paintRow(
    scene: Scene,
    piece: Piece,
    row: TileRow,
    line: number,
    colors: Uint32Array,
    matching: Uint8Array | null,
    labels: boolean,
  ): void {
    const { range, dpr } = scene;
    const { tile, paint } = piece.tile;
    const { start, duration, name } = tile;
    const { pixels } = this;
    const base = line * this.width;
    const origin = range.start;
    const scale = (scene.width * dpr) / (range.end - range.start);
    const from = Math.max(piece.start, range.start);
    const to = Math.min(piece.end, range.end);
    const leastLabel = scene.leastLabel * dpr;
    const gap = Math.max(1, Math.round(dpr));
    const gapFrom = GAP_FROM * gap;
    const lastPixel = this.width - 1;
    const end = row.first + row.count;
    // The previous slice may extend into the piece.
    for (let i = row.first + Math.max(startedBy(tile, row, from) - 1, 0); i < end; ++i) {
      const sliceStart = start[i] as number;
      if (sliceStart > to) break;
      const sliceEnd = sliceStart + (duration[i] as number);
      if (sliceEnd < from) continue;
      if (matching !== null && matching[name[i] as number] === 0) continue;
      const x = Math.min(Math.round((Math.max(sliceStart, from) - origin) * scale), lastPixel);
      let until = Math.round((Math.min(sliceEnd, to) - origin) * scale);
      const color = colors[paint[i] as number] as number;
      if (until - x <= 1) {
        pixels[base + x] = color;
      } else {
        if (until - x >= gapFrom && sliceEnd <= to) until -= gap;
        pixels.fill(color, base + x, base + until);
      }
      if (labels && (sliceEnd - sliceStart) * scale >= leastLabel) {
        // Once per slice: in the piece in which its visible part begins.
        const seenFrom = Math.max(sliceStart, range.start);
        const seen = (Math.min(sliceEnd, range.end) - seenFrom) * scale;
        if (seenFrom >= piece.start && seenFrom < piece.end && seen >= leastLabel) {
          this.labels.add(i, this.pieces.length - 1, line);
        }
      }
    }
  }

  private reserve(lines: number): void {
    if (lines > this.y.length) {
      const size = Math.max(64, lines * 2);
      const y = new Int32Array(size);
      const height = new Int32Array(size);
      y.set(this.y);
      height.set(this.height);
      this.y = y;
      this.height = height;
    }
    if (this.y.length * this.width > this.pixels.length) {
      this.pixels = new Uint32Array(this.y.length * this.width);
    }
  }
}
