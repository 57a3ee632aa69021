import type { Bar } from "./stacked_bars";

/** How much longer than all others an iteration must be to be cut off. */
const MUCH_LONGER = 3;
const ROOM = 1.25;

/**
 * Where the axis of a chart of iterations ends, if not at the longest one. What comes before the first
 * step of a program, such as loading and compiling, takes a thousand times as long as a step, and would
 * leave nothing to see of the others.
 */
export function axisTop(bars: readonly Bar[]): number | undefined {
  const inside = bars.filter((bar) => !bar.outside).map((bar) => bar.total);
  const outside = bars.filter((bar) => bar.outside).map((bar) => bar.total);
  const longest = Math.max(0, ...inside);
  if (longest === 0 || Math.max(0, ...outside) <= MUCH_LONGER * longest) return undefined;
  return ROOM * longest;
}
