// Maps lanes to pixel rows. Vertical positions count from the top of the first lane, independent of
// scrolling.

import type { Lane, Timeline } from "../base/api_types";
import { type CssPixels, cssPixels } from "./units";

type Group = Timeline["groups"][number];

export interface GroupBox {
  readonly kind: "group";
  readonly group: Group;
  readonly top: CssPixels;
  readonly height: CssPixels;
  readonly folded: boolean;
  readonly lanes: number;
}

export interface LaneBox {
  readonly kind: "lane";
  readonly lane: Lane;
  readonly top: CssPixels;
  readonly height: CssPixels;
  /** The top of the first row, below the lane's upper padding. */
  readonly rowTop: CssPixels;
  readonly rowHeight: CssPixels;
  /** The number of visible rows of `lane.rows`. */
  readonly rows: number;
  readonly folded: boolean;
  readonly foldable: boolean;
}

export type Box = GroupBox | LaneBox;

export interface Layout {
  /** Ordered by top. */
  readonly boxes: readonly Box[];
  readonly height: CssPixels;
  readonly lanes: ReadonlyMap<number, LaneBox>;
  /** Shown above the scrolled part; undefined for a trace without iterations. */
  readonly iterations: Lane | undefined;
}

/** Groups and lanes whose folding differs from the default; `g1` is a group, `5` a lane. */
export type Flips = ReadonlySet<string>;

export const GROUP_HEIGHT = 26;
export const ROW_HEIGHT = 17;
export const STREAM_ROW_HEIGHT = 22;
export const COUNTER_HEIGHT = 34;
export const GAPS_HEIGHT = 14;
export const LANE_PADDING = 3;
/** The number of rows of a folded lane. */
export const FOLDED_ROWS = 3;
/** A lane with more rows is initially folded, unless it is among the busiest of its group. */
const UNFOLDED_AT_FIRST = 5;
/** With more rows than this, several busy threads would fill the screen. */
const BUSY_UNFOLDED_AT_FIRST = 14;
/**
 * With Python stacks, the relevant part is below 20 rows of callers, so the busiest thread stays
 * open.
 */
const BUSIEST_UNFOLDED_AT_FIRST = 48;
/**
 * A thread is busy if it has at least this share of the events of the busiest one, such as forward
 * and backward threads.
 */
const BUSY_SHARE = 0.2;

export function groupFlip(group: number): string {
  return `g${group}`;
}

export function laneFlip(lane: number): string {
  return String(lane);
}

export function isCounter(lane: Lane): boolean {
  return lane.kind === "utilization" || lane.kind === "queue";
}

function rowHeightOf(lane: Lane): number {
  if (isCounter(lane)) return COUNTER_HEIGHT;
  if (lane.kind === "gaps") return GAPS_HEIGHT;
  return lane.kind === "stream" ? STREAM_ROW_HEIGHT : ROW_HEIGHT;
}

/** The number of rows up to which a lane is initially open. */
function openAtFirst(lanes: readonly Lane[]): (lane: Lane) => number {
  const most = new Map<number | null, number>();
  for (const lane of lanes) {
    if (lane.kind !== "thread") continue;
    most.set(lane.group, Math.max(most.get(lane.group) ?? 0, lane.events));
  }
  return (lane) => {
    const busiest = most.get(lane.group) ?? 0;
    if (lane.kind !== "thread" || lane.events < BUSY_SHARE * busiest) return UNFOLDED_AT_FIRST;
    return lane.events === busiest ? BUSIEST_UNFOLDED_AT_FIRST : BUSY_UNFOLDED_AT_FIRST;
  };
}

/** Of many processes only the first is initially open; of GPUs, all are. */
function foldedAtFirst(group: Group, groups: readonly Group[]): boolean {
  if (group.kind === "gpu") return false;
  const sameKind = groups.filter((other) => other.kind === group.kind);
  return sameKind.length > 4 && sameKind[0] !== group;
}

export function makeLayout(info: Timeline, flips: Flips): Layout {
  const boxes: Box[] = [];
  const lanes = new Map<number, LaneBox>();
  const openRows = openAtFirst(info.lanes);
  const iterations = info.lanes.find((lane) => lane.kind === "iterations");
  let top = 0;

  const addLane = (lane: Lane) => {
    if (lane === iterations) return;
    const foldable = !isCounter(lane) && lane.rows > FOLDED_ROWS;
    const folded = foldable && lane.rows > openRows(lane) !== flips.has(laneFlip(lane.id));
    const rows = folded ? FOLDED_ROWS : Math.max(lane.rows, 1);
    const rowHeight = rowHeightOf(lane);
    const height = rows * rowHeight + 2 * LANE_PADDING;
    const box: LaneBox = {
      kind: "lane",
      lane,
      top: cssPixels(top),
      height: cssPixels(height),
      rowTop: cssPixels(top + LANE_PADDING),
      rowHeight: cssPixels(rowHeight),
      rows,
      folded,
      foldable,
    };
    boxes.push(box);
    lanes.set(lane.id, box);
    top += height;
  };

  const known = new Set(info.groups.map((group) => group.id));
  for (const lane of info.lanes) {
    if (lane.group === null || !known.has(lane.group)) addLane(lane);
  }
  for (const group of info.groups) {
    const members = info.lanes.filter((lane) => lane.group === group.id);
    if (members.length === 0) continue;
    const folded = foldedAtFirst(group, info.groups) !== flips.has(groupFlip(group.id));
    boxes.push({
      kind: "group",
      group,
      top: cssPixels(top),
      height: cssPixels(GROUP_HEIGHT),
      folded,
      lanes: members.length,
    });
    top += GROUP_HEIGHT;
    if (!folded) members.forEach(addLane);
  }
  return { boxes, height: cssPixels(top), lanes, iterations };
}

/** The index of the first box that ends below `y`. */
export function firstBoxAt(layout: Layout, y: number): number {
  let low = 0;
  let high = layout.boxes.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const box = layout.boxes[middle];
    if (box !== undefined && box.top + box.height <= y) low = middle + 1;
    else high = middle;
  }
  return low;
}

export function boxAt(layout: Layout, y: number): Box | undefined {
  if (y < 0) return undefined;
  return layout.boxes[firstBoxAt(layout, y)];
}

/** The depth of the row at `y` in a lane; undefined in its padding. */
export function depthAt(box: LaneBox, y: number): number | undefined {
  const depth = Math.floor((y - box.rowTop) / box.rowHeight);
  return depth >= 0 && depth < box.rows ? depth : undefined;
}

/** The top of a row; undefined if its lane or row is folded. */
export function rowTop(layout: Layout, lane: number, depth: number): CssPixels | undefined {
  const box = layout.lanes.get(lane);
  if (box === undefined || depth >= box.rows) return undefined;
  return cssPixels(box.rowTop + depth * box.rowHeight);
}

/** The flips with which a row is visible; the same set if it already is. */
export function revealRow(info: Timeline, flips: Flips, lane: number, depth: number): Flips {
  if (rowTop(makeLayout(info, flips), lane, depth) !== undefined) return flips;
  const wanted = info.lanes.find((candidate) => candidate.id === lane);
  if (wanted === undefined || wanted.kind === "iterations" || depth >= wanted.rows) return flips;
  const next = new Set(flips);
  if (wanted.group !== null && !makeLayout(info, next).lanes.has(lane)) {
    toggle(next, groupFlip(wanted.group));
  }
  if (rowTop(makeLayout(info, next), lane, depth) === undefined) toggle(next, laneFlip(lane));
  return next;
}

export function toggled(flips: Flips, key: string): Flips {
  const next = new Set(flips);
  toggle(next, key);
  return next;
}

function toggle(flips: Set<string>, key: string): void {
  if (!flips.delete(key)) flips.add(key);
}

/** The flips with which all groups and lanes are folded, or none. */
export function foldAll(info: Timeline, folded: boolean): Flips {
  const flips = new Set<string>();
  for (const group of info.groups) {
    const key = groupFlip(group.id);
    if (foldedAtFirst(group, info.groups)) flips.add(key);
  }
  const open = makeLayout(info, flips);
  for (const box of open.lanes.values()) {
    if (box.foldable && box.folded !== folded) flips.add(laneFlip(box.lane.id));
  }
  return flips;
}
