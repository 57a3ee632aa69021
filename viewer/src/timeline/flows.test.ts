// @vitest-environment node
import { describe, expect, it } from "vitest";
import type { EventLink } from "../base/api_types";
import { flowsOf } from "./flows";
import { groupFlip, laneFlip, makeLayout, rowTop } from "./layout";
import { testTimeline } from "./timeline_test_data";

const timeline = testTimeline();
const groupOf = (lane: number) => timeline.lanes.find(({ id }) => id === lane)?.group;
const link = (
  role: string,
  lane: number,
  depth: number,
  start: number,
  duration: number,
): EventLink => ({
  role,
  event: `x:${start}`,
  name: role,
  lane,
  depth,
  start,
  duration,
});
const KERNEL = { lane: 4, depth: 0, start: 500, duration: 50 };
const OP = link("op", 5, 1, 100, 100);
const LAUNCH = link("launch", 5, 2, 120, 30);

describe("flowsOf", () => {
  const layout = makeLayout(timeline, new Set());

  it("connects the op, the launch and the kernel", () => {
    const flows = flowsOf(KERNEL, [OP, LAUNCH], layout, groupOf);
    expect(flows.map(({ fromTime, toTime }) => [fromTime, toTime])).toEqual([
      [120, 120],
      [150, 500],
    ]);
    expect(flows[1]?.toY).toBeGreaterThan(rowTop(layout, 4, 0) ?? 0);
  });

  it("connects an op with its work, and forward with backward ops", () => {
    const op = { lane: 5, depth: 1, start: 100, duration: 100 };
    const links = [
      link("work", 4, 0, 500, 5),
      link("backward", 6, 0, 900, 5),
      link("parent", 5, 0, 0, 999),
    ];
    const flows = flowsOf(op, links, layout, groupOf);
    expect(flows.map(({ kind, fromTime, toTime }) => [kind, fromTime, toTime])).toEqual([
      ["start", 200, 500],
      ["direction", 200, 900],
    ]);
    const back = flowsOf(op, [link("forward", 6, 0, 10, 5)], layout, groupOf);
    expect(back[0]).toMatchObject({ kind: "direction", fromTime: 15, toTime: 100 });
  });

  it("points at the folded lane if the row is hidden", () => {
    const folded = makeLayout(timeline, new Set([laneFlip(5)]));
    const box = folded.lanes.get(5);
    const flows = flowsOf(KERNEL, [link("launch", 5, 8, 120, 30)], folded, groupOf);
    expect(flows[0]?.fromY).toBeLessThan((box?.top ?? 0) + (box?.height ?? 0));
    const hidden = makeLayout(timeline, new Set([groupFlip(1)]));
    const group = hidden.boxes.find(
      (candidate) => candidate.kind === "group" && candidate.group.id === 1,
    );
    const toGroup = flowsOf(KERNEL, [LAUNCH], hidden, groupOf);
    expect(toGroup[0]?.fromY).toBe((group?.top ?? 0) + (group?.height ?? 0) / 2);
  });
});
