// @vitest-environment node
import { describe, expect, it } from "vitest";
import { drawSlices } from "./draw_slices";
import { makeLaneSets } from "./lane_sets";
import { makeLayout } from "./layout";
import { NameMatcher } from "./name_matcher";
import { makePalette } from "./palette";
import type { Scene } from "./scene";
import { TextFit } from "./text_fit";
import { decodeTile } from "./tile";
import type { Piece } from "./tile_cache";
import { paintTile } from "./tile_paint";
import { encodeTile, type TestSlice } from "./tile_test_data";
import { testTimeline } from "./timeline_test_data";
import { viewRange } from "./view_range";

interface Drawn {
  rects: { x: number; y: number; width: number; height: number; color: string }[];
  texts: { text: string; x: number; y: number }[];
}

/** Notes what is drawn instead of drawing it. */
function recorder(): { ctx: CanvasRenderingContext2D; drawn: Drawn } {
  const drawn: Drawn = { rects: [], texts: [] };
  const ctx = {
    fillStyle: "",
    fillRect(x: number, y: number, width: number, height: number) {
      drawn.rects.push({ x, y, width, height, color: this.fillStyle });
    },
    fillText(text: string, x: number, y: number) {
      drawn.texts.push({ text, x, y });
    },
  };
  return { ctx: ctx as unknown as CanvasRenderingContext2D, drawn };
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

describe("drawSlices", () => {
  it("draws slices to scale, a pixel apart, and labels what has room", () => {
    const { ctx, drawn } = recorder();
    drawSlices(ctx, sceneOf(), [
      piece([
        { ...ROW, start: 100, duration: 200, name: "gemm" },
        { ...ROW, start: 300, duration: 10, name: "small" },
      ]),
    ]);
    expect(drawn.rects.map(({ x, width }) => [x, width])).toEqual(
      expect.arrayContaining([
        [100, 199],
        [300, 9],
      ]),
    );
    expect(drawn.texts.map(({ text }) => text)).toEqual(["gemm"]);
  });

  it("labels a slice once that crosses pieces, over all of its rectangles", () => {
    const { ctx, drawn } = recorder();
    const long = { ...ROW, start: 450, duration: 300, name: "a_rather_long_name" };
    const order: string[] = [];
    const watched = {
      ...ctx,
      fillRect: (...args: Parameters<typeof ctx.fillRect>) => {
        order.push("rect");
        ctx.fillRect(...args);
      },
      fillText: (...args: Parameters<typeof ctx.fillText>) => {
        order.push("text");
        ctx.fillText(...args);
      },
    };
    drawSlices(watched as CanvasRenderingContext2D, sceneOf(), [
      piece([long], 0, 500),
      piece([long], 500, 500),
    ]);
    expect(drawn.rects.map(({ x, width }) => [x, width])).toEqual([
      [450, 50],
      [500, 249],
    ]);
    expect(drawn.texts.map(({ text }) => text)).toEqual(["a_rather_long_name"]);
    expect(order).toEqual(["rect", "rect", "text"]);
  });

  it("keeps the label of a slice that began before the view", () => {
    const { ctx, drawn } = recorder();
    const before = piece([{ ...ROW, start: -5000, duration: 5500, name: "forward" }]);
    drawSlices(ctx, sceneOf(), [before]);
    expect(drawn.texts).toMatchObject([{ text: "forward", x: 4 }]);
  });

  it("makes one rectangle of pixels that touch, and one pixel of what has no width", () => {
    const { ctx, drawn } = recorder();
    const dense = Array.from({ length: 1000 }, (_, i) => ({
      ...ROW,
      start: 400 + i / 10,
      duration: 0.05,
    }));
    drawSlices(ctx, sceneOf(), [piece([{ ...ROW, start: 50, duration: 0 }, ...dense])]);
    expect(drawn.rects.map(({ x, width }) => [x, width])).toEqual([
      [50, 1],
      [400, 101],
    ]);
  });

  it("draws nothing of rows that are folded or scrolled away", () => {
    const { ctx, drawn } = recorder();
    const hidden = piece([{ lane: 6, depth: 7, start: 0, duration: 500 }]);
    drawSlices(ctx, sceneOf(), [hidden]);
    drawSlices(ctx, sceneOf({ scrollTop: 5000 }), [piece([{ ...ROW, start: 0, duration: 500 }])]);
    expect(drawn.rects).toEqual([]);
  });

  it("draws in whole device pixels", () => {
    const { ctx, drawn } = recorder();
    drawSlices(ctx, sceneOf({ dpr: 1.5, range: viewRange(0, 777) }), [
      piece([{ ...ROW, start: 13.7, duration: 101.3 }]),
    ]);
    for (const { x, y, width, height } of drawn.rects) {
      for (const value of [x, y, width, height]) expect(Number.isInteger(value)).toBe(true);
    }
  });

  it("draws matches over everything else, which is dimmed", () => {
    const { ctx, drawn } = recorder();
    const scene = sceneOf({ matcher: new NameMatcher("GEMM") });
    drawSlices(ctx, scene, [
      piece([
        { ...ROW, start: 100, duration: 200, name: "gemm", category: 2 },
        { ...ROW, start: 400, duration: 200, name: "other", category: 2 },
      ]),
    ]);
    const colorsAt = (at: number) =>
      drawn.rects.filter(({ x }) => x === at).map(({ color }) => color);
    expect(colorsAt(400)).toHaveLength(1);
    expect(scene.palette.dimFill).toContain(colorsAt(400)[0]);
    expect(scene.palette.fill).toContain(colorsAt(100)[1]);
  });
});
