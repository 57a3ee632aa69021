// @vitest-environment node
import { describe, expect, it } from "vitest";
import { makeLayout } from "./layout";
import { rowsInOrder, walkRow, walkRows } from "./row_walk";
import { decodeTile, type Tile } from "./tile";
import { paintTile } from "./tile_paint";
import { encodeTile, type TestSlice } from "./tile_test_data";
import { testTimeline } from "./timeline_test_data";

const SPAN = 1024;
const EVENTS = [10, 20, 500, 900, 905].map((start, event) => ({ start, duration: 4, event }));

/** Tiles like those of the server: slices shorter than a 16th of a tile are merged. */
function tileOf(level: number, index: number): Tile {
  const length = SPAN / 2 ** level;
  const slices: TestSlice[] = [];
  for (const event of EVENTS) {
    const end = event.start + event.duration;
    if (end < index * length || event.start >= (index + 1) * length) continue;
    const last = slices[slices.length - 1];
    if (last && event.start - last.start - last.duration < length / 16) {
      last.duration = end - last.start;
      last.count = (last.count ?? 1) + 1;
    } else {
      slices.push({ lane: 5, depth: 0, name: "op", ...event });
    }
  }
  return decodeTile(encodeTile(slices));
}

const source = { span: SPAN, tile: async (level: number, index: number) => tileOf(level, index) };
const from = (event: number) => {
  const { start, duration } = EVENTS[event] ?? { start: 0, duration: 0 };
  return { event: `host:${event}`, name: "op", start, duration, lane: 5, depth: 0 };
};

describe("walkRow", () => {
  it("goes to the neighbors within a tile", async () => {
    expect((await walkRow(source, from(0), 1, 5))?.event).toBe("host:1");
    expect((await walkRow(source, from(1), -1, 5))?.event).toBe("host:0");
  });

  it("continues in further tiles, with their first event rather than their longest", async () => {
    expect((await walkRow(source, from(1), 1, 5))?.event).toBe("host:2");
    expect((await walkRow(source, from(2), 1, 6))?.event).toBe("host:3");
    expect((await walkRow(source, from(2), -1, 6))?.event).toBe("host:1");
  });

  it("ends at the ends", async () => {
    expect(await walkRow(source, from(4), 1, 6)).toBeNull();
    expect(await walkRow(source, from(0), -1, 5)).toBeNull();
  });
});

describe("walkRows", () => {
  const layout = makeLayout(testTimeline(), new Set());

  it("lists rows in displayed order", () => {
    const rows = rowsInOrder(layout).map(({ lane, depth }) => `${lane}.${depth}`);
    expect(rows.slice(0, 5)).toEqual(["0.0", "3.0", "4.0", "5.0", "5.1"]);
    expect(rows).toHaveLength(3 + 9 + 3);
  });

  it("goes down and up to overlapping slices, skipping rows without any", () => {
    const painted = paintTile(
      decodeTile(
        encodeTile([
          { lane: 5, depth: 0, start: 0, duration: 100, name: "outer" },
          { lane: 5, depth: 1, start: 10, duration: 20, name: "small" },
          { lane: 5, depth: 1, start: 40, duration: 50, name: "inner" },
          { lane: 6, depth: 0, start: 60, duration: 5, name: "elsewhere" },
        ]),
      ),
      0,
      SPAN,
    );
    const pieces = () => [{ tile: painted, start: 0, end: SPAN }];
    const view = { start: 0, end: SPAN };
    const place = (lane: number, depth: number, start: number, duration: number) => ({
      event: "host:0",
      name: "",
      lane,
      depth,
      start,
      duration,
    });
    expect(walkRows(layout, pieces, place(5, 0, 0, 100), 1, view)?.name).toBe("inner");
    expect(walkRows(layout, pieces, place(5, 1, 40, 50), 1, view)?.name).toBe("elsewhere");
    expect(walkRows(layout, pieces, place(6, 0, 60, 5), -1, view)?.name).toBe("inner");
    expect(walkRows(layout, pieces, place(5, 1, 40, 50), -1, view)?.name).toBe("outer");
    expect(walkRows(layout, pieces, place(5, 0, 0, 100), -1, view)).toBeNull();
  });
});
