// Copies a raster of rows to the canvas, and draws the names of slices over it.

import type { RowRaster } from "./row_raster";
import type { Scene } from "./scene";
import { labelOf } from "./text_fit";

type Context = CanvasRenderingContext2D;

const LABEL_PADDING = 4;

/** A canvas with the lines of the raster, from which they are stretched to their rows. */
export class RasterCanvas {
  private readonly canvas = document.createElement("canvas");
  private context: Context | null = null;
  private image: ImageData | null = null;

  draw(ctx: Context, raster: RowRaster): void {
    const { width, lines } = raster;
    const image = this.imageOf(raster);
    if (image === null || this.context === null || lines === 0) return;
    this.context.putImageData(image, 0, 0, 0, 0, width, lines);
    ctx.imageSmoothingEnabled = false;
    for (let line = 0; line < lines; ++line) {
      const y = raster.y[line] ?? 0;
      const height = raster.height[line] ?? 0;
      ctx.drawImage(this.canvas, 0, line, width, 1, 0, y, width, height);
    }
  }

  /** The raster's memory as an image; recreated only if the raster has new memory. */
  private imageOf(raster: RowRaster): ImageData | null {
    const { pixels, width } = raster;
    const lines = Math.floor(pixels.length / width);
    const bytes = pixels.buffer as ArrayBuffer;
    if (this.image?.data.buffer === bytes && this.image.width === width) return this.image;
    if (lines === 0) return null;
    this.image = new ImageData(new Uint8ClampedArray(bytes, 0, lines * width * 4), width, lines);
    this.canvas.width = width;
    this.canvas.height = lines;
    // The CPU writes to it in every frame, so it must not be on a GPU.
    this.context = this.canvas.getContext("2d", { willReadFrequently: true });
    return this.image;
  }
}

/**
 * Draws the names of slices with enough room. After all slices, since one may continue in the next
 * piece.
 */
export function drawLabels(ctx: Context, scene: Scene, raster: RowRaster): void {
  const { range, dpr, palette, fit, matcher } = scene;
  const { labels, pieces } = raster;
  const scale = (scene.width * dpr) / (range.end - range.start);
  const padding = Math.round(LABEL_PADDING * dpr);
  let color = "";
  for (let i = 0; i < labels.count; ++i) {
    const piece = pieces[labels.piece[i] as number];
    if (piece === undefined) continue;
    const { tile, paint } = piece.tile;
    const slice = labels.slice[i] as number;
    const nameIndex = tile.name[slice] as number;
    const sliceStart = tile.start[slice] as number;
    const from = Math.max(sliceStart, range.start);
    const to = Math.min(sliceStart + (tile.duration[slice] as number), range.end);
    const room = ((to - from) * scale - 2 * padding) / dpr;
    const count = tile.count[slice] as number;
    const text = fit.fit(count > 1 ? `${count} events` : labelOf(tile.names.at(nameIndex)), room);
    if (text === "") continue;
    const dim = matcher !== null && matcher.matches(tile)[nameIndex] === 0;
    const wanted = dim ? palette.dimText : (palette.text[paint[slice] as number] ?? palette.ink);
    if (wanted !== color) {
      color = wanted;
      ctx.fillStyle = color;
    }
    const line = labels.line[i] as number;
    const middle = (raster.y[line] as number) + ((raster.height[line] as number) >> 1);
    ctx.fillText(text, Math.round((from - range.start) * scale) + padding, middle);
  }
}
