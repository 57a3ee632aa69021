// @vitest-environment node
import { describe, expect, it } from "vitest";
import {
  boxAt,
  depthAt,
  FOLDED_ROWS,
  firstBoxAt,
  foldAll,
  groupFlip,
  laneFlip,
  makeLayout,
  revealRow,
  rowTop,
  toggled,
} from "./layout";
import { testLane, testTimeline } from "./timeline_test_data";

const NONE: ReadonlySet<string> = new Set();

describe("makeLayout", () => {
  it("stacks groups and their lanes without gaps or overlaps", () => {
    const layout = makeLayout(testTimeline(), NONE);
    let y = 0;
    for (const box of layout.boxes) {
      expect(box.top).toBe(y);
      y += box.height;
    }
    expect(layout.height).toBe(y);
    const order = layout.boxes.map((box) => (box.kind === "group" ? box.group.title : box.lane.id));
    expect(order).toEqual(["GPU 0", 1, 3, 4, "python 1", 5, 6]);
    expect(layout.iterations?.id).toBe(0);
  });

  it("initially unfolds busy threads and folds the others", () => {
    const layout = makeLayout(testTimeline(), NONE);
    expect(layout.lanes.get(5)).toMatchObject({ rows: 9, folded: false, foldable: true });
    expect(layout.lanes.get(6)).toMatchObject({ rows: FOLDED_ROWS, folded: true, foldable: true });
    expect(layout.lanes.get(4)).toMatchObject({ rows: 1, foldable: false });
  });

  it("folds even the busiest thread if it would fill the screen", () => {
    const lanes = [testLane(5, { group: 1, rows: 60, events: 10 })];
    expect(makeLayout(testTimeline({ lanes }), NONE).lanes.get(5)?.folded).toBe(true);
  });

  it("flips groups and lanes", () => {
    const timeline = testTimeline();
    const folded = makeLayout(timeline, new Set([groupFlip(1)]));
    expect(folded.lanes.has(5)).toBe(false);
    expect(folded.height).toBeLessThan(makeLayout(timeline, NONE).height);
    expect(makeLayout(timeline, new Set([laneFlip(6)])).lanes.get(6)?.rows).toBe(8);
  });

  it("shows lanes of unknown groups and outside groups", () => {
    const lanes = [testLane(1), testLane(2, { group: 77 })];
    expect([...makeLayout(testTimeline({ lanes }), NONE).lanes.keys()]).toEqual([1, 2]);
  });

  it("is empty for a trace without lanes", () => {
    const layout = makeLayout(testTimeline({ lanes: [], groups: [] }), NONE);
    expect(layout).toMatchObject({ boxes: [], height: 0, iterations: undefined });
    expect(boxAt(layout, 5)).toBeUndefined();
  });
});

describe("finding rows", () => {
  const layout = makeLayout(testTimeline(), NONE);

  it("converts heights to boxes and back", () => {
    for (const [index, box] of layout.boxes.entries()) {
      expect(firstBoxAt(layout, box.top)).toBe(index);
      expect(boxAt(layout, box.top + box.height - 1)).toBe(box);
    }
    expect(boxAt(layout, -1)).toBeUndefined();
    expect(boxAt(layout, layout.height + 1)).toBeUndefined();
  });

  it("converts heights to depths and back", () => {
    const box = layout.lanes.get(5);
    if (box === undefined) throw new Error("no lane");
    for (let depth = 0; depth < box.rows; ++depth) {
      const top = rowTop(layout, 5, depth);
      expect(depthAt(box, (top ?? 0) + 1)).toBe(depth);
    }
    expect(depthAt(box, box.top)).toBeUndefined();
    expect(rowTop(layout, 6, 7)).toBeUndefined();
  });
});

describe("folding", () => {
  const timeline = testTimeline();

  it("reveals a row by unfolding only its lane and group", () => {
    expect(revealRow(timeline, NONE, 5, 3)).toBe(NONE);
    expect(revealRow(timeline, NONE, 6, 7)).toEqual(new Set([laneFlip(6)]));
    const hidden = new Set([groupFlip(1)]);
    expect(revealRow(timeline, hidden, 6, 7)).toEqual(new Set([laneFlip(6)]));
    expect(revealRow(timeline, NONE, 99, 0)).toBe(NONE);
    expect(revealRow(timeline, NONE, 0, 0)).toBe(NONE);
  });

  it("toggles there and back", () => {
    expect(toggled(toggled(NONE, "5"), "5")).toEqual(NONE);
  });

  it("folds and unfolds everything", () => {
    const folded = makeLayout(timeline, foldAll(timeline, true));
    const open = makeLayout(timeline, foldAll(timeline, false));
    expect([5, 6].map((lane) => folded.lanes.get(lane)?.rows)).toEqual([3, 3]);
    expect([5, 6].map((lane) => open.lanes.get(lane)?.rows)).toEqual([9, 8]);
  });
});
