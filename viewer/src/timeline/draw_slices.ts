// Slices and their labels. This is the loop that decides how smooth zooming is: it touches each slice
// once, allocates nothing for it, works in whole device pixels (which the rasterizer fills without
// anti-aliasing) and joins what would be painted over and over within a pixel.

import { canvasY, type Scene } from "./scene";
import { labelOf } from "./text_fit";
import type { Piece } from "./tile_cache";

const OUT_OF_SIGHT = -(2 ** 30);
/** Slices at least this wide are set apart from the next by a pixel of background. */
const GAP_FROM = 3;
const LABEL_PADDING = 4;

/** Buffers that grow once and are used again in every frame. */
class Scratch {
  rowY = new Int32Array(64);
  rowHeight = new Int32Array(64);
  labelSlice = new Uint32Array(1024);
  labelKey = new Uint16Array(1024);
  labels = 0;
  labelEnds: number[] = [];

  reserveRows(rows: number): void {
    if (rows <= this.rowY.length) return;
    this.rowY = new Int32Array(rows * 2);
    this.rowHeight = new Int32Array(rows * 2);
  }

  addLabel(slice: number, key: number): void {
    if (this.labels === this.labelSlice.length) {
      const slices = new Uint32Array(this.labels * 2);
      slices.set(this.labelSlice);
      this.labelSlice = slices;
      const keys = new Uint16Array(this.labels * 2);
      keys.set(this.labelKey);
      this.labelKey = keys;
    }
    this.labelSlice[this.labels] = slice;
    this.labelKey[this.labels] = key;
    this.labels += 1;
  }
}

const scratch = new Scratch();

function placeRows(scene: Scene, piece: Piece): void {
  const { rows } = piece.tile.tile;
  const { layout, dpr, height } = scene;
  scratch.reserveRows(rows.length);
  for (let i = 0; i < rows.length; ++i) {
    scratch.rowY[i] = OUT_OF_SIGHT;
    const row = rows[i];
    if (row === undefined) continue;
    const box = layout.lanes.get(row.lane);
    if (box === undefined || row.depth >= box.rows) continue;
    const top = canvasY(scene, box.rowTop + row.depth * box.rowHeight);
    if (top > height || top + box.rowHeight < 0) continue;
    const y = Math.round(top * dpr);
    scratch.rowY[i] = y;
    scratch.rowHeight[i] = Math.round((top + box.rowHeight - 1) * dpr) - y;
  }
}

/**
 * Rectangles of one piece. `matching` restricts them to slices of these names; `labels` also notes which
 * are wide enough for a text.
 */
function fillPiece(
  ctx: CanvasRenderingContext2D,
  scene: Scene,
  piece: Piece,
  fills: readonly string[],
  matching: Uint8Array | null,
  labels: boolean,
): void {
  const { range, dpr } = scene;
  const { tile, order, runs, row: rowOf } = piece.tile;
  const { start, duration, name } = tile;
  const { rowY, rowHeight } = scratch;
  const origin = range.start;
  const scale = (scene.width * dpr) / (range.end - range.start);
  const from = Math.max(piece.start, range.start);
  const to = Math.min(piece.end, range.end);
  const leastLabel = scene.leastLabel * dpr;
  const gap = Math.max(1, Math.round(dpr));
  const gapFrom = GAP_FROM * gap;
  const viewStart = range.start;
  const viewEnd = range.end;

  for (const run of runs) {
    ctx.fillStyle = fills[run.key] ?? "#888888";
    let pendingRow = -1;
    let pendingX = 0;
    let pendingEnd = 0;
    for (let i = run.from; i < run.to; ++i) {
      const slice = order[i] as number;
      const row = rowOf[slice] as number;
      const y = rowY[row] as number;
      if (y === OUT_OF_SIGHT) continue;
      const sliceStart = start[slice] as number;
      const sliceEnd = sliceStart + (duration[slice] as number);
      if (sliceEnd < from || sliceStart > to) continue;
      if (matching !== null && matching[name[slice] as number] === 0) continue;
      const x = Math.round((Math.max(sliceStart, from) - origin) * scale);
      let end = Math.round((Math.min(sliceEnd, to) - origin) * scale);
      const width = end - x;
      if (width < 1) end = x + 1;
      else if (width >= gapFrom && sliceEnd <= to) end -= gap;
      if (labels && (sliceEnd - sliceStart) * scale >= leastLabel) {
        // Once per slice: in the piece in which its visible part begins.
        const seenFrom = Math.max(sliceStart, viewStart);
        const seenTo = Math.min(sliceEnd, viewEnd);
        if (seenFrom >= piece.start && seenFrom < piece.end) {
          if ((seenTo - seenFrom) * scale >= leastLabel) scratch.addLabel(slice, run.key);
        }
      }
      // Pixels that touch within a run are one rectangle.
      if (row === pendingRow && x <= pendingEnd && width < gapFrom) {
        if (end > pendingEnd) pendingEnd = end;
        continue;
      }
      if (pendingRow >= 0) {
        ctx.fillRect(
          pendingX,
          rowY[pendingRow] as number,
          pendingEnd - pendingX,
          rowHeight[pendingRow] as number,
        );
      }
      pendingRow = row;
      pendingX = x;
      pendingEnd = end;
    }
    if (pendingRow >= 0) {
      ctx.fillRect(
        pendingX,
        rowY[pendingRow] as number,
        pendingEnd - pendingX,
        rowHeight[pendingRow] as number,
      );
    }
  }
}

/** Labels number `first` to `end` of those noted, which are the piece's. */
function labelPiece(
  ctx: CanvasRenderingContext2D,
  scene: Scene,
  piece: Piece,
  first: number,
  end: number,
): void {
  const { range, dpr, palette, fit, matcher } = scene;
  const { tile, row: rowOf } = piece.tile;
  const matching = matcher?.matches(tile) ?? null;
  const scale = (scene.width * dpr) / (range.end - range.start);
  const padding = Math.round(LABEL_PADDING * dpr);
  const { labelSlice, labelKey, rowY, rowHeight } = scratch;
  let color = "";
  for (let i = first; i < end; ++i) {
    const slice = labelSlice[i] as number;
    const nameIndex = tile.name[slice] as number;
    const sliceStart = tile.start[slice] as number;
    const from = Math.max(sliceStart, range.start);
    const to = Math.min(sliceStart + (tile.duration[slice] as number), range.end);
    const x = Math.round((from - range.start) * scale) + padding;
    const room = ((to - from) * scale - 2 * padding) / dpr;
    const count = tile.count[slice] as number;
    const text = fit.fit(count > 1 ? `${count} events` : labelOf(tile.names.at(nameIndex)), room);
    if (text === "") continue;
    const dim = matching !== null && matching[nameIndex] === 0;
    const wanted = dim ? palette.dimText : (palette.text[labelKey[i] as number] ?? palette.ink);
    if (wanted !== color) {
      color = wanted;
      ctx.fillStyle = color;
    }
    const row = rowOf[slice] as number;
    ctx.fillText(text, x, (rowY[row] as number) + ((rowHeight[row] as number) >> 1));
  }
}

/** Draws a set's slices; the context is in device pixels. */
export function drawSlices(
  ctx: CanvasRenderingContext2D,
  scene: Scene,
  pieces: readonly Piece[],
): void {
  const { palette, matcher } = scene;
  const { labelEnds } = scratch;
  scratch.labels = 0;
  labelEnds.length = 0;
  for (const piece of pieces) {
    placeRows(scene, piece);
    if (matcher === null) {
      fillPiece(ctx, scene, piece, palette.fill, null, true);
    } else {
      fillPiece(ctx, scene, piece, palette.dimFill, null, true);
      fillPiece(ctx, scene, piece, palette.fill, matcher.matches(piece.tile.tile), false);
    }
    labelEnds.push(scratch.labels);
  }
  // After all rectangles: a slice may go on in the next piece, and its label with it.
  let first = 0;
  for (let i = 0; i < pieces.length; ++i) {
    const piece = pieces[i];
    const end = labelEnds[i] ?? first;
    if (piece !== undefined && end > first) {
      placeRows(scene, piece);
      labelPiece(ctx, scene, piece, first, end);
    }
    first = end;
  }
}
