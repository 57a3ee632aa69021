// @vitest-environment node
import { describe, expect, it } from "vitest";
import { decodeTile, eventOfSlice, TileError } from "./tile";
import { encodeTile, type TestSlice } from "./tile_test_data";

const SLICES: TestSlice[] = [
  { lane: 4, depth: 0, start: 10, duration: 5, event: 123, name: "gemm", category: 0, table: 2 },
  { lane: 4, depth: 0, start: 20.5, duration: 0, event: 7, name: "größe", count: 3, cover: 0.5 },
  { lane: 5, depth: 2, start: -4, duration: 1e12, name: "gemm", category: 6, table: 1 },
];

describe("decodeTile", () => {
  it("reads the documented format", () => {
    const counters = new Map([
      [1, Array.from({ length: 1024 }, (_, i) => i / 1024)],
      [2, [312]],
    ]);
    const tile = decodeTile(encodeTile(SLICES, counters));
    expect(tile.rows).toEqual([
      { lane: 4, depth: 0, first: 0, count: 2 },
      { lane: 5, depth: 2, first: 2, count: 1 },
    ]);
    expect([...tile.start]).toEqual([10, 20.5, -4]);
    expect([...tile.duration]).toEqual([5, 0, 1e12]);
    expect([...tile.count]).toEqual([1, 3, 1]);
    expect([...tile.cover]).toEqual([1, 0.5, 1]);
    expect([...tile.category]).toEqual([0, 0, 6]);
    expect([...tile.name].map((name) => tile.names.at(name))).toEqual(["gemm", "größe", "gemm"]);
    expect(eventOfSlice(tile, 0)).toBe("gpu:123");
    expect(eventOfSlice(tile, 2)).toBe("api:2");
    expect(tile.values.get(1)?.[512]).toBe(0.5);
    expect(tile.values.get(2)?.[0]).toBe(312);
    expect(tile.values.get(2)?.[1]).toBeNaN();
  });

  it("copies nothing", () => {
    const buffer = encodeTile(SLICES);
    const tile = decodeTile(buffer);
    expect(tile.start.buffer).toBe(buffer);
    expect(tile.cover.buffer).toBe(buffer);
  });

  it("reads a tile with nothing in it", () => {
    const tile = decodeTile(encodeTile([]));
    expect(tile.rows).toEqual([]);
    expect(tile.start.length).toBe(0);
  });

  it("rejects every truncation with a TileError", () => {
    const whole = encodeTile(SLICES, new Map([[1, [1]]]));
    for (let size = 0; size < whole.byteLength; size += 1) {
      expect(() => decodeTile(whole.slice(0, size)), `${size} bytes`).toThrow(TileError);
    }
  });

  it("rejects other bytes", () => {
    const html = new TextEncoder().encode("<!doctype html><title>Sign in</title>").buffer;
    expect(() => decodeTile(html as ArrayBuffer)).toThrow("not a timeline tile");
  });

  it("any single wrong byte gives a tile or a TileError", () => {
    const whole = encodeTile(SLICES);
    for (let at = 0; at < whole.byteLength; at += 1) {
      const damaged = whole.slice(0);
      new Uint8Array(damaged)[at] = 0xff;
      try {
        const tile = decodeTile(damaged);
        for (const row of tile.rows) {
          expect(row.first + row.count).toBeLessThanOrEqual(tile.start.length);
        }
        for (const name of tile.name) expect(tile.names.at(name)).toBeTypeOf("string");
      } catch (error) {
        expect(error).toBeInstanceOf(TileError);
      }
    }
  });

  it("rejects unordered slices", () => {
    const wrong = encodeTile([
      { lane: 0, depth: 0, start: 5, duration: 1 },
      { lane: 0, depth: 0, start: 4, duration: 1 },
    ]);
    expect(() => decodeTile(wrong)).toThrow("order");
  });
});
