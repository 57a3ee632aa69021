// @vitest-environment node
import { describe, expect, it } from "vitest";
import { makeLaneSets } from "./lane_sets";
import { makeLayout, rowTop } from "./layout";
import { NameMatcher } from "./name_matcher";
import { makePalette } from "./palette";
import { RowRaster } from "./row_raster";
import { canvasY, type Scene } from "./scene";
import { TextFit } from "./text_fit";
import { decodeTile } from "./tile";
import type { Piece } from "./tile_cache";
import { paintTile } from "./tile_paint";
import { encodeTile, type TestSlice } from "./tile_test_data";
import { testTimeline } from "./timeline_test_data";
import { viewRange } from "./view_range";

interface Run {
  from: number;
  to: number;
  color: number;
}

/** Consecutive pixels of the same color in the line of a row. */
function runsOf(raster: RowRaster, scene: Scene, lane: number, depth: number): Run[] {
  const top = rowTop(scene.layout, lane, depth);
  if (top === undefined) return [];
  const y = Math.round(canvasY(scene, top) * scene.dpr);
  const line = raster.y.subarray(0, raster.lines).indexOf(y);
  if (line < 0) return [];
  const runs: Run[] = [];
  for (let x = 0; x < raster.width; ++x) {
    const color = raster.pixels[line * raster.width + x] ?? 0;
    const last = runs[runs.length - 1];
    if (last?.color === color && last.to === x) last.to = x + 1;
    else if (color !== 0) runs.push({ from: x, to: x + 1, color });
  }
  return runs;
}

function rasterOf(scene: Scene, ...sets: Piece[][]): RowRaster {
  const raster = new RowRaster();
  raster.begin(scene);
  for (const pieces of sets) raster.paint(scene, pieces);
  return raster;
}

function labelsOf(raster: RowRaster): string[] {
  return Array.from({ length: raster.labels.count }, (_, i) => {
    const tile = raster.pieces[raster.labels.piece[i] ?? 0]?.tile.tile;
    return tile?.names.at(tile.name[raster.labels.slice[i] ?? 0] ?? 0) ?? "";
  });
}

function sceneOf(changes: Partial<Scene> = {}): Scene {
  const timeline = testTimeline();
  return {
    timeline,
    sets: makeLaneSets(timeline.lanes),
    pieces: [],
    layout: makeLayout(timeline, new Set()),
    palette: makePalette(timeline.categories, "light"),
    fit: new TextFit((text) => text.length * 6),
    font: "",
    cssFont: "",
    range: viewRange(0, 1000),
    width: 1000,
    height: 800,
    scrollTop: 0,
    dpr: 1,
    matcher: null,
    leastLabel: 26,
    ...changes,
  };
}

function piece(slices: TestSlice[], start = 0, length = 1000): Piece {
  const tile = paintTile(decodeTile(encodeTile(slices)), start, length);
  return { tile, start, end: start + length };
}

const ROW = { lane: 4, depth: 0 };

describe("RowRaster", () => {
  it("paints slices to scale, a pixel apart, and lists those with room for a label", () => {
    const scene = sceneOf();
    const raster = rasterOf(scene, [
      piece([
        { ...ROW, start: 100, duration: 200, name: "gemm" },
        { ...ROW, start: 300, duration: 10, name: "small" },
      ]),
    ]);
    const runs = runsOf(raster, scene, 4, 0);
    expect(runs.map(({ from, to }) => [from, to])).toEqual([
      [100, 299],
      [300, 309],
    ]);
    expect(labelsOf(raster)).toEqual(["gemm"]);
  });

  it("paints a slice that crosses pieces without a seam and labels it once", () => {
    const scene = sceneOf();
    const long = { ...ROW, start: 450, duration: 300, name: "long" };
    const raster = rasterOf(scene, [piece([long], 0, 500), piece([long], 500, 500)]);
    expect(runsOf(raster, scene, 4, 0).map(({ from, to }) => [from, to])).toEqual([[450, 749]]);
    expect(labelsOf(raster)).toEqual(["long"]);
  });

  it("keeps the label of a slice that began before the view", () => {
    const raster = rasterOf(sceneOf(), [
      piece([{ ...ROW, start: -5000, duration: 5500, name: "forward" }]),
    ]);
    expect(labelsOf(raster)).toEqual(["forward"]);
  });

  it("shows slices without width as a pixel, also at the very end", () => {
    const scene = sceneOf();
    const raster = rasterOf(scene, [
      piece([
        { ...ROW, start: 50, duration: 0 },
        { ...ROW, start: 1000, duration: 0 },
      ]),
    ]);
    expect(runsOf(raster, scene, 4, 0).map(({ from, to }) => [from, to])).toEqual([
      [50, 51],
      [999, 1000],
    ]);
  });

  it("stays within the line of a row", () => {
    const scene = sceneOf({ range: viewRange(200, 300) });
    const raster = rasterOf(
      scene,
      [piece([{ ...ROW, start: 0, duration: 1000 }])],
      [piece([{ lane: 5, depth: 0, start: 250, duration: 5000 }])],
    );
    expect(runsOf(raster, scene, 4, 0)).toMatchObject([{ from: 0, to: 1000 }]);
    expect(runsOf(raster, scene, 5, 0)).toMatchObject([{ from: 500, to: 1000 }]);
    expect(runsOf(raster, scene, 5, 1)).toEqual([]);
  });

  it("has no lines for rows that are folded or scrolled away", () => {
    const slices = piece([
      { ...ROW, start: 0, duration: 500 },
      { lane: 6, depth: 7, start: 0, duration: 500 },
    ]);
    const raster = rasterOf(sceneOf(), [slices]);
    expect(raster.lines).toBe(1 + 1 + 1 + 9 + 3);
    expect(raster.labels.count).toBe(1);
    expect(rasterOf(sceneOf({ scrollTop: 5000 }), [slices]).lines).toBe(0);
  });

  it("clears the previous frame", () => {
    const scene = sceneOf();
    const raster = rasterOf(scene, [piece([{ ...ROW, start: 0, duration: 500 }])]);
    raster.begin(scene);
    expect(runsOf(raster, scene, 4, 0)).toEqual([]);
    expect(raster.labels.count).toBe(0);
  });

  it("paints in device pixels", () => {
    const scene = sceneOf({ dpr: 2 });
    const raster = rasterOf(scene, [piece([{ ...ROW, start: 100, duration: 50 }])]);
    expect(runsOf(raster, scene, 4, 0)).toMatchObject([{ from: 200, to: 298 }]);
  });

  it("paints matches over everything else, which is dimmed", () => {
    const scene = sceneOf({ matcher: new NameMatcher("GEMM") });
    const raster = rasterOf(scene, [
      piece([
        { ...ROW, start: 100, duration: 200, name: "gemm", category: 2 },
        { ...ROW, start: 400, duration: 200, name: "other", category: 2 },
      ]),
    ]);
    const [match, other] = runsOf(raster, scene, 4, 0);
    expect(scene.palette.packed).toContain(match?.color);
    expect(scene.palette.packedDim).toContain(other?.color);
  });

  it("has room for any number of labels", () => {
    const many = Array.from({ length: 3000 }, (_, i) => ({ ...ROW, start: i, duration: 1 }));
    const raster = rasterOf(sceneOf({ leastLabel: 0 }), [piece(many)]);
    expect(raster.labels.count).toBeGreaterThan(900);
    const wide = rasterOf(sceneOf({ leastLabel: 0, range: viewRange(0, 3000) }), [
      piece(many, 0, 3000),
    ]);
    expect(wide.labels.count).toBe(3000);
  });
});
