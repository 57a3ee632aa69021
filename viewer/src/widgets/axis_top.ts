import type { Bar } from "./stacked_bars";

/** An iteration is cut off if it is this many times as long as all others. */
const MUCH_LONGER = 3;
const ROOM = 1.25;

/**
 * The end of the axis in a chart of iterations, unless it is the longest one. The work before a
 * program's first step, such as loading and compiling, may take a thousand times as long as a step,
 * so that the others would be invisible.
 */
export function axisTop(bars: readonly Bar[]): number | undefined {
  const inside = bars.filter((bar) => !bar.outside).map((bar) => bar.total);
  const outside = bars.filter((bar) => bar.outside).map((bar) => bar.total);
  const longest = Math.max(0, ...inside);
  if (longest === 0 || Math.max(0, ...outside) <= MUCH_LONGER * longest) return undefined;
  return ROOM * longest;
}
