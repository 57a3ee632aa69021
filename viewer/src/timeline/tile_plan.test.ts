// @vitest-environment node
import { describe, expect, it } from "vitest";
import { makeLaneSets } from "./lane_sets";
import { groupFlip, makeLayout } from "./layout";
import { planTiles, setsInView } from "./tile_plan";
import { testLane, testTimeline } from "./timeline_test_data";

describe("makeLaneSets", () => {
  it("puts lanes of a group together, the iterations with the first", () => {
    const sets = makeLaneSets(testTimeline().lanes);
    expect(sets.map((set) => set.query)).toEqual(["0,1,3,4", "5,6"]);
  });

  it("divides a process with a hundred threads", () => {
    const lanes = Array.from({ length: 100 }, (_, id) => testLane(id, { group: 1, rows: 2 }));
    const sets = makeLaneSets(lanes);
    expect(sets.length).toBeGreaterThan(5);
    expect(sets.flatMap((set) => set.lanes)).toEqual(lanes);
  });
});

describe("setsInView", () => {
  const timeline = testTimeline();
  const sets = makeLaneSets(timeline.lanes);

  it("leaves out folded and scrolled lanes, but not the iterations", () => {
    expect(setsInView(sets, makeLayout(timeline, new Set()), 0, 500)).toEqual([0, 1]);
    expect(setsInView(sets, makeLayout(timeline, new Set([groupFlip(1)])), 0, 500)).toEqual([0]);
    expect(setsInView(sets, makeLayout(timeline, new Set()), 5000, 500)).toEqual([0]);
  });
});

describe("planTiles", () => {
  const names = (keys: { set: number; level: number; index: number }[]) =>
    keys.map(({ set, level, index }) => `${set}/${level}/${index}`);

  it("begins with tiles on screen and ends with their neighbors", () => {
    expect(names(planTiles([0], { level: 4, first: 5, last: 6 }, 15))).toEqual([
      "0/4/5",
      "0/4/6",
      "0/0/0",
      "0/3/2",
      "0/3/3",
      "0/4/7",
      "0/4/4",
    ]);
  });

  it("does not go beyond the trace", () => {
    expect(names(planTiles([0, 1], { level: 0, first: 0, last: 0 }, 0))).toEqual([
      "0/0/0",
      "1/0/0",
    ]);
    expect(names(planTiles([0], { level: 1, first: 0, last: 1 }, 1))).toEqual([
      "0/1/0",
      "0/1/1",
      "0/0/0",
    ]);
  });
});
