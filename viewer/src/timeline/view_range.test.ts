// @vitest-environment node
import { describe, expect, it } from "vitest";
import { cssPixels, timeNs } from "./units";
import {
  clampRange,
  easeOut,
  frameEvent,
  interpolate,
  isInView,
  lengthOf,
  levelFor,
  MIN_VIEW_NS,
  panBy,
  tilesIn,
  timeToX,
  viewRange,
  xToTime,
  zoomAbout,
} from "./view_range";

const END = 1_000_000;
const WIDTH = cssPixels(1000);

describe("the transform", () => {
  it("converts to pixels and back", () => {
    const range = viewRange(2000, 12_000);
    expect(timeToX(range, WIDTH, timeNs(2000))).toBe(0);
    expect(timeToX(range, WIDTH, timeNs(7000))).toBe(500);
    expect(xToTime(range, WIDTH, timeToX(range, WIDTH, timeNs(4321)))).toBeCloseTo(4321);
  });
});

describe("zoom and pan", () => {
  it("keeps the time under the pointer", () => {
    const range = viewRange(200_000, 600_000);
    const at = timeNs(300_000);
    const zoomed = zoomAbout(range, at, 2.5, END);
    expect(lengthOf(zoomed)).toBeCloseTo(160_000);
    expect(timeToX(zoomed, WIDTH, at)).toBeCloseTo(timeToX(range, WIDTH, at));
  });

  it("limits the view to the smallest length and to the trace", () => {
    const range = viewRange(0, END);
    expect(lengthOf(zoomAbout(range, timeNs(5), 1e9, END))).toBeCloseTo(MIN_VIEW_NS);
    expect(zoomAbout(viewRange(10, 5000), timeNs(100), 1e-9, END)).toEqual(range);
    expect(panBy(viewRange(900_000, 950_000), 1e9, END)).toEqual(viewRange(950_000, END));
    expect(panBy(viewRange(900_000, 950_000), -1e9, END)).toEqual(viewRange(0, 50_000));
  });

  it("corrects invalid ranges", () => {
    expect(clampRange(viewRange(Number.NaN, 5), END)).toEqual(viewRange(0, END));
    expect(clampRange(viewRange(700, 300), END)).toEqual(viewRange(300, 700));
    expect(lengthOf(clampRange(viewRange(5, 5), END))).toBe(MIN_VIEW_NS);
    expect(clampRange(viewRange(0, 0), 0)).toEqual(viewRange(0, MIN_VIEW_NS));
  });

  it("frames an event with its surroundings", () => {
    const framed = frameEvent(400_000, 1000, END);
    expect(lengthOf(framed)).toBe(3000);
    expect((framed.start + framed.end) / 2).toBe(400_500);
    expect(isInView(framed, 400_000, 1000)).toBe(true);
    expect(isInView(framed, 500_000, 1000)).toBe(false);
    expect(isInView(framed, 0, END)).toBe(true);
  });
});

describe("tiles", () => {
  const SPAN = 2 ** 20;

  it("are between 512 and 1024 pixels wide", () => {
    for (const length of [END, 333_333, 70_001, 5000, 900]) {
      const level = levelFor(viewRange(0, length), WIDTH, SPAN, 18);
      const pixels = (SPAN / 2 ** level / length) * WIDTH;
      expect(pixels).toBeGreaterThanOrEqual(512);
      expect(pixels).toBeLessThan(1024);
    }
  });

  it("are not finer than the finest level", () => {
    expect(levelFor(viewRange(0, 200), WIDTH, SPAN, 4)).toBe(4);
    expect(levelFor(viewRange(0, END), cssPixels(100), SPAN, 4)).toBe(0);
  });

  it("cover exactly the range", () => {
    const tile = SPAN / 8;
    expect(tilesIn(viewRange(tile, 3 * tile), 3, SPAN, END)).toEqual({
      level: 3,
      first: 1,
      last: 2,
    });
    expect(tilesIn(viewRange(0, END), 3, SPAN, END)).toEqual({ level: 3, first: 0, last: 7 });
    expect(tilesIn(viewRange(0, 200), 0, 1, 0)).toEqual({ level: 0, first: 0, last: 0 });
  });
});

describe("interpolate", () => {
  const from = viewRange(0, 1_000_000);
  const to = viewRange(300_000, 310_000);

  it("starts and ends where it should", () => {
    expect(interpolate(from, to, 0)).toBe(from);
    expect(interpolate(from, to, 1)).toBe(to);
  });

  it("zooms by equal factors about one point", () => {
    const half = interpolate(from, to, 0.5);
    expect(lengthOf(half)).toBeCloseTo(100_000);
    const fixed = 300_000 / 0.99;
    const share = (range: { start: number; end: number }) =>
      (fixed - range.start) / (range.end - range.start);
    expect(share(half)).toBeCloseTo(share(from));
    expect(share(interpolate(from, to, 0.8))).toBeCloseTo(share(from));
  });

  it("pans evenly when the length stays", () => {
    expect(interpolate(viewRange(0, 100), viewRange(50, 150), 0.5)).toEqual(viewRange(25, 125));
  });

  it("eases from 0 to 1", () => {
    expect(easeOut(0)).toBe(0);
    expect(easeOut(1)).toBe(1);
    expect(easeOut(0.5)).toBeGreaterThan(0.5);
  });
});
