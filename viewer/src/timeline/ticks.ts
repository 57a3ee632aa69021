// Positions and labels of the ticks on the time axis.

import { lengthOf, type ViewRange } from "./view_range";

export interface Ticks {
  /** Distance between two labeled ticks, ns: 1, 2 or 5 times a power of ten. */
  readonly step: number;
  /** The number of smaller ticks per labeled one. */
  readonly parts: number;
  /** The first labeled tick at or before the start of the range. */
  readonly first: number;
  /** The number of labeled ticks, up to the first one after the range. */
  readonly count: number;
}

const MIN_LABEL_DISTANCE = 92;

export function ticksFor(range: ViewRange, width: number): Ticks {
  const least = (lengthOf(range) * MIN_LABEL_DISTANCE) / Math.max(width, 1);
  const power = 10 ** Math.floor(Math.log10(Math.max(least, 1)));
  const factor = [1, 2, 5, 10].find((candidate) => candidate * power >= least) ?? 10;
  const step = Math.max(factor * power, 1);
  const first = Math.floor(range.start / step);
  const last = Math.ceil(range.end / step);
  return { step, parts: factor === 2 ? 4 : 5, first: first * step, count: last - first + 1 };
}

const UNITS = [
  { ns: 1e9, name: "s" },
  { ns: 1e6, name: "ms" },
  { ns: 1e3, name: "µs" },
  { ns: 1, name: "ns" },
] as const;

/**
 * A tick's time with the decimals that the step needs, in the largest unit that the view's end
 * reaches: all labels of a view have the same format and differ in their last digits.
 */
export function formatTick(time: number, step: number, viewEnd: number): string {
  if (time === 0) return "0";
  const unit = UNITS.find((candidate) => viewEnd >= candidate.ns) ?? UNITS[3];
  const decimals = Math.max(0, Math.ceil(Math.log10(unit.ns / step) - 1e-9));
  const [whole = "", fraction] = (time / unit.ns).toFixed(decimals).split(".");
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ",");
  return `${grouped}${fraction === undefined ? "" : `.${fraction}`} ${unit.name}`;
}

/** A point in time with the precision of a pixel of the view. */
export function formatTime(time: number, nsPerPixel: number): string {
  const step = 10 ** Math.floor(Math.log10(Math.max(nsPerPixel, 1)));
  const unit = UNITS.find((candidate) => Math.abs(time) >= candidate.ns) ?? UNITS[3];
  const decimals = Math.min(Math.max(0, Math.round(Math.log10(unit.ns / step))), 6);
  return `${(time / unit.ns).toFixed(decimals)} ${unit.name}`;
}
