// Arrows of the selected event: op → launch → GPU work, forward → backward, gap → the work that
// ended it.

import type { EventLink } from "../base/api_types";
import type { PlacedEvent } from "./hit_test";
import { GROUP_HEIGHT, type Layout } from "./layout";

export interface Flow {
  readonly kind: "start" | "direction";
  /** Times, and heights in the layout, which are the centers of rows. */
  readonly fromTime: number;
  readonly fromY: number;
  readonly toTime: number;
  readonly toY: number;
}

/**
 * The center of a row; if it is hidden, of the last visible row of its lane, or of its group's
 * title.
 */
export function anchorY(layout: Layout, lane: number, depth: number): number | undefined {
  const box = layout.lanes.get(lane);
  if (box !== undefined) {
    const row = Math.min(depth, box.rows - 1);
    return box.rowTop + (row + 0.5) * box.rowHeight - 0.5;
  }
  return undefined;
}

function groupAnchor(layout: Layout, group: number | null | undefined): number | undefined {
  for (const box of layout.boxes) {
    if (box.kind === "group" && box.group.id === group) return box.top + GROUP_HEIGHT / 2;
  }
  return undefined;
}

type Spot = Pick<PlacedEvent, "start" | "duration" | "lane" | "depth">;

/**
 * The arrow starts at the target's start if that is within the source, otherwise at the source's
 * end.
 */
function connect(
  kind: Flow["kind"],
  from: Spot,
  to: Spot,
  y: (spot: Spot) => number | undefined,
): Flow[] {
  const fromY = y(from);
  const toY = y(to);
  if (fromY === undefined || toY === undefined) return [];
  const fromTime = Math.min(Math.max(to.start, from.start), from.start + from.duration);
  return [{ kind, fromTime, fromY, toTime: to.start, toY }];
}

export function flowsOf(
  selected: Spot,
  links: readonly EventLink[],
  layout: Layout,
  groupOfLane: (lane: number) => number | null | undefined,
): Flow[] {
  const y = (spot: Spot) =>
    anchorY(layout, spot.lane, spot.depth) ?? groupAnchor(layout, groupOfLane(spot.lane));
  const withRole = (role: string) => links.filter((link) => link.role === role);
  const ops = withRole("op");
  const launches = withRole("launch");
  const flows: Flow[] = [];
  for (const launch of launches) {
    for (const op of ops) flows.push(...connect("start", op, launch, y));
    flows.push(...connect("start", launch, selected, y));
  }
  if (launches.length === 0) {
    for (const op of ops) flows.push(...connect("start", op, selected, y));
  }
  for (const work of [...withRole("work"), ...withRole("next")]) {
    flows.push(...connect("start", selected, work, y));
  }
  for (const forward of withRole("forward")) {
    flows.push(...connect("direction", forward, selected, y));
  }
  for (const backward of withRole("backward")) {
    flows.push(...connect("direction", selected, backward, y));
  }
  return flows;
}
