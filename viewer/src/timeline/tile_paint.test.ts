// @vitest-environment node
import { describe, expect, it } from "vitest";
import { makePalette } from "./palette";
import { decodeTile } from "./tile";
import { COVER_STEPS, coverStep, paintTile, shadeOf } from "./tile_paint";
import { encodeTile } from "./tile_test_data";
import { CATEGORIES } from "./timeline_test_data";

describe("paintTile", () => {
  const tile = decodeTile(
    encodeTile([
      { lane: 1, depth: 0, start: 0, duration: 5, category: 2, name: "x" },
      { lane: 1, depth: 0, start: 10, duration: 5, category: 0, name: "y" },
      { lane: 1, depth: 1, start: 3, duration: 5, category: 2, name: "x" },
      { lane: 2, depth: 0, start: 1, duration: 5, category: 2, name: "x", count: 9, cover: 0.1 },
    ]),
  );
  const painted = paintTile(tile, 0, 1000);

  it("names each slice once, by paint and then in order", () => {
    expect([...painted.order].sort()).toEqual([0, 1, 2, 3]);
    const runs = painted.runs.map(({ from, to }) => [...painted.order.subarray(from, to)]);
    expect(runs).toEqual([[1], [3], [0, 2]]);
  });

  it("knows the row of each slice", () => {
    expect([...painted.row]).toEqual([0, 0, 1, 2]);
  });

  it("paints the emptier the paler", () => {
    expect([0, 0.1, 0.26, 0.6, 1].map(coverStep)).toEqual([0, 0, 1, 2, COVER_STEPS - 1]);
  });

  it("gives a name the same shade everywhere", () => {
    const utf8 = new TextEncoder().encode("aten::mm");
    expect(shadeOf(utf8)).toBe(shadeOf(utf8.slice()));
  });
});

describe("makePalette", () => {
  it("has a colour for every paint of every category, known or not", () => {
    const palette = makePalette(CATEGORIES, "light");
    for (const run of palette.fill) expect(run).toMatch(/^#[0-9a-f]{6}$/);
    expect(palette.fill).toHaveLength(palette.text.length);
    expect(palette.fill).toHaveLength(palette.dimFill.length);
    expect(palette.category[0]).not.toBe(palette.category[1]);
  });

  it("differs between light and dark", () => {
    expect(makePalette(CATEGORIES, "dark").background).not.toBe(
      makePalette(CATEGORIES, "light").background,
    );
  });
});
