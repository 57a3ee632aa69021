// @vitest-environment node
import { describe, expect, it } from "vitest";
import { drawCounter, meanOf } from "./draw_counters";
import { meanUtilization } from "./draw_minimap";
import { makeLayout } from "./layout";
import { makePalette } from "./palette";
import type { Scene } from "./scene";
import { TextFit } from "./text_fit";
import { decodeTile } from "./tile";
import type { Piece } from "./tile_cache";
import { paintTile } from "./tile_paint";
import { encodeTile } from "./tile_test_data";
import { testTimeline } from "./timeline_test_data";
import { viewRange } from "./view_range";

const BUSY = Array.from({ length: 1024 }, () => 1);

function busyPiece(index: number, length: number): Piece {
  const tile = decodeTile(encodeTile([], new Map([[1, BUSY]])));
  const start = index * length;
  return { tile: paintTile(tile, start, length), start, end: start + length };
}

describe("drawCounter", () => {
  it("fills every column of a busy GPU, also at tile boundaries", () => {
    const timeline = testTimeline();
    const layout = makeLayout(timeline, new Set());
    const box = layout.lanes.get(1);
    if (box === undefined) throw new Error("no lane");
    for (const start of [3, 100.7, 512.123, 999.99]) {
      const columns = new Uint8Array(1000);
      const ctx = {
        fillStyle: "",
        fillRect: (x: number, _y: number, width: number) => columns.fill(1, x, x + width),
      };
      const scene: Scene = {
        timeline,
        sets: [],
        pieces: [],
        layout,
        palette: makePalette(timeline.categories, "light"),
        fit: new TextFit(() => 6),
        font: "",
        cssFont: "",
        range: viewRange(start, start + 1700.3),
        width: 1000,
        height: 400,
        scrollTop: 0,
        dpr: 1,
        matcher: null,
        leastLabel: 26,
      };
      const pieces = [0, 1, 2, 3, 4].map((index) => busyPiece(index, 700.5));
      drawCounter(ctx as unknown as CanvasRenderingContext2D, scene, pieces, box);
      expect(columns.indexOf(0), `view from ${start}`).toBe(-1);
    }
  });
});

describe("means", () => {
  it("ignore missing values", () => {
    const values = new Float32Array([1, Number.NaN, 3]);
    expect(meanOf(values, 0, 3)).toBe(2);
    expect(meanOf(values, 1, 2)).toBeNaN();
    expect(meanOf(values, -5, 1)).toBe(1);
  });

  it("cover all GPUs", () => {
    const tile = decodeTile(
      encodeTile(
        [],
        new Map([
          [1, BUSY],
          [2, BUSY.map(() => 0)],
        ]),
      ),
    );
    expect(meanUtilization([tile, tile], [1, 2], 1000, 900, 1100)).toBe(0.5);
    expect(meanUtilization([], [1], 1000, 0, 10)).toBeNaN();
  });
});
