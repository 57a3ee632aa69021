// @vitest-environment node
import { describe, expect, it } from "vitest";
import { neighborInRow, overlapping, sliceAt, valueAt } from "./hit_test";
import { decodeTile } from "./tile";
import type { Piece } from "./tile_cache";
import { paintTile } from "./tile_paint";
import { encodeTile, type TestSlice } from "./tile_test_data";

function piece(
  slices: TestSlice[],
  start = 0,
  length = 1000,
  values?: Map<number, number[]>,
): Piece {
  return {
    tile: paintTile(decodeTile(encodeTile(slices, values)), start, length),
    start,
    end: start + length,
  };
}

const ROW = { lane: 4, depth: 0 };
const SLICES: TestSlice[] = [
  { ...ROW, start: 100, duration: 50, name: "a", event: 1 },
  { ...ROW, start: 200, duration: 0, name: "thin", event: 2 },
  { ...ROW, start: 204, duration: 100, name: "b", event: 3, count: 5, cover: 0.4 },
  { lane: 4, depth: 1, start: 110, duration: 10, name: "inner", event: 4 },
];

describe("sliceAt", () => {
  const pieces = [piece(SLICES)];
  const at = (time: number, tolerance = 3) => sliceAt(pieces, 4, 0, time, tolerance)?.name ?? null;

  it("finds the slice that contains the time", () => {
    expect(at(100)).toBe("a");
    expect(at(149)).toBe("a");
    expect(at(250)).toBe("b");
    expect(at(250, 0)).toBe("b");
    expect(sliceAt(pieces, 4, 1, 115, 3)?.name).toBe("inner");
  });

  it("finds the nearest within the tolerance, even if it has no width", () => {
    expect(at(199)).toBe("thin");
    expect(at(201.5)).toBe("thin");
    expect(at(203)).toBe("b");
    expect(at(98)).toBe("a");
    expect(at(152)).toBe("a");
  });

  it("finds nothing elsewhere", () => {
    expect(at(175)).toBeNull();
    expect(at(50)).toBeNull();
    expect(sliceAt(pieces, 5, 0, 120, 3)).toBeNull();
  });

  it("describes a slice of several events", () => {
    expect(sliceAt(pieces, 4, 0, 250, 3)).toMatchObject({ event: "host:3", count: 5, lane: 4 });
  });

  it("searches across the boundary of two pieces", () => {
    const two = [
      piece([], 0, 100),
      piece([{ ...ROW, start: 101, duration: 5, name: "next" }], 100, 100),
    ];
    expect(sliceAt(two, 4, 0, 99, 3)?.name).toBe("next");
  });
});

describe("neighborInRow", () => {
  const { tile } = piece(SLICES).tile;

  it("goes forward and back by starts", () => {
    expect(neighborInRow(tile, 4, 0, 100, 1)?.name).toBe("thin");
    expect(neighborInRow(tile, 4, 0, 200, 1)?.name).toBe("b");
    expect(neighborInRow(tile, 4, 0, 204, 1)).toBeNull();
    expect(neighborInRow(tile, 4, 0, 204, -1)?.name).toBe("thin");
    expect(neighborInRow(tile, 4, 0, 100, -1)).toBeNull();
    expect(neighborInRow(tile, 9, 0, 100, 1)).toBeNull();
  });
});

describe("overlapping", () => {
  it("takes the slice that shares the most time", () => {
    const pieces = [piece(SLICES)];
    expect(overlapping(pieces, 4, 0, 140, 260)?.name).toBe("b");
    expect(overlapping(pieces, 4, 0, 0, 160)?.name).toBe("a");
    expect(overlapping(pieces, 4, 0, 400, 500)).toBeNull();
  });
});

describe("valueAt", () => {
  it("reads the bucket of the tile, wherever the piece begins", () => {
    const values = Array.from({ length: 1024 }, (_, i) => i);
    const whole = piece([], 2048, 1024, new Map([[1, values]]));
    const part = { ...whole, start: 2548 };
    expect(valueAt([part], 1, 2548)).toBe(500);
    expect(valueAt([part], 1, 2500)).toBeNaN();
    expect(valueAt([part], 2, 2600)).toBeNaN();
  });
});
