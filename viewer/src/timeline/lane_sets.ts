// Decides which lanes are fetched together. Tiles are cached per set, so sets must not change by
// scrolling or folding; and they must be small enough that a screen does not fetch a hundred hidden
// threads.

import type { Lane } from "../base/api_types";

export interface LaneSet {
  readonly id: number;
  readonly lanes: readonly Lane[];
  /** In the format of the API: `0,4,5`. */
  readonly query: string;
}

const MAX_LANES = 16;
/**
 * The maximum number of rows of a set: rows determine the size of a tile, so a deep thread counts
 * for many shallow ones.
 */
const MAX_ROWS = 48;

/**
 * Sets of consecutive lanes of one group. Lanes outside groups, including iterations, are in the
 * first group's set: they are always on screen.
 */
export function makeLaneSets(lanes: readonly Lane[]): LaneSet[] {
  const sets: LaneSet[] = [];
  let open: Lane[] = [];
  let rows = 0;
  const close = () => {
    if (open.length === 0) return;
    sets.push({ id: sets.length, lanes: open, query: open.map((lane) => lane.id).join(",") });
    open = [];
    rows = 0;
  };
  for (const lane of lanes) {
    const before = open[open.length - 1];
    const full = open.length >= MAX_LANES || rows + lane.rows > MAX_ROWS;
    const otherGroup = before !== undefined && before.group !== null && before.group !== lane.group;
    if (before !== undefined && (full || otherGroup)) close();
    open.push(lane);
    rows += lane.rows;
  }
  close();
  return sets;
}
