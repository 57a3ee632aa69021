// Chooses the tiles to fetch for a view, most important first.

import type { LaneSet } from "./lane_sets";
import type { Layout } from "./layout";
import type { TileKey } from "./tile_cache";
import type { TileSpan } from "./view_range";

/**
 * Lanes within this distance of the canvas are fetched too, so that they are available when
 * scrolling.
 */
const SCROLL_MARGIN = 240;

/** Sets with a visible or nearly visible lane; the set with the iterations always. */
export function setsInView(
  sets: readonly LaneSet[],
  layout: Layout,
  scrollTop: number,
  height: number,
): number[] {
  const top = scrollTop - SCROLL_MARGIN;
  const bottom = scrollTop + height + SCROLL_MARGIN;
  const visible: number[] = [];
  for (const set of sets) {
    const seen = set.lanes.some((lane) => {
      if (lane === layout.iterations) return true;
      const box = layout.lanes.get(lane.id);
      return box !== undefined && box.top < bottom && box.top + box.height > top;
    });
    if (seen) visible.push(set.id);
  }
  return visible;
}

/**
 * Tiles on screen, then the whole run (any tile is better than none while zooming out), the coarser
 * level, and the neighbors on both sides.
 */
export function planTiles(sets: readonly number[], span: TileSpan, lastIndex: number): TileKey[] {
  const keys: TileKey[] = [];
  const { level, first, last } = span;
  for (let index = first; index <= last; ++index) {
    for (const set of sets) keys.push({ set, level, index });
  }
  if (level > 0) for (const set of sets) keys.push({ set, level: 0, index: 0 });
  if (level > 1) {
    for (let index = first >> 1; index <= last >> 1; ++index) {
      for (const set of sets) keys.push({ set, level: level - 1, index });
    }
  }
  for (const index of [last + 1, first - 1]) {
    if (index < 0 || index > lastIndex) continue;
    for (const set of sets) keys.push({ set, level, index });
  }
  return keys;
}
