// @vitest-environment node
import { describe, expect, it } from "vitest";
import { makePalette, pack } from "./palette";
import { decodeTile } from "./tile";
import { COVER_STEPS, coverStep, KEYS_PER_CATEGORY, paintTile, shadeOf } from "./tile_paint";
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

  it("paints slices of one kind alike", () => {
    const [first, second, third, fourth] = painted.paint;
    expect(first).toBe(third);
    expect(new Set([first, second, fourth]).size).toBe(3);
  });

  it("paints emptier slices paler", () => {
    expect([0, 0.1, 0.26, 0.6, 1].map(coverStep)).toEqual([0, 0, 1, 2, COVER_STEPS - 1]);
  });

  it("uses the same shade for a name everywhere", () => {
    const utf8 = new TextEncoder().encode("aten::mm");
    expect(shadeOf(utf8)).toBe(shadeOf(utf8.slice()));
  });
});

describe("makePalette", () => {
  it("has a color for every paint of every category", () => {
    const palette = makePalette(CATEGORIES, "light");
    expect(palette.packed).toHaveLength(CATEGORIES.length * KEYS_PER_CATEGORY);
    for (const pixel of palette.packed) expect(pixel >>> 24).toBe(0xff);
    expect(palette.text).toHaveLength(palette.packed.length);
    expect(palette.packedDim).toHaveLength(palette.packed.length);
    expect(palette.category[0]).not.toBe(palette.category[1]);
  });

  it("packs colors like ImageData", () => {
    const bytes = new Uint8Array(new Uint32Array([pack("#123456")]).buffer);
    expect([...bytes]).toEqual([0x12, 0x34, 0x56, 0xff]);
  });

  it("differs between light and dark", () => {
    expect(makePalette(CATEGORIES, "dark").background).not.toBe(
      makePalette(CATEGORIES, "light").background,
    );
  });
});
