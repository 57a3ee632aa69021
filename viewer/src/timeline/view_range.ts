// The visible time interval: its transform to pixels, zoom, pan, and the tiles that it needs.

import { type CssPixels, cssPixels, type TimeNs, timeNs } from "./units";

export interface ViewRange {
  readonly start: TimeNs;
  readonly end: TimeNs;
}

/** In shorter views, a pixel would be a fraction of a nanosecond, which no trace resolves. */
export const MIN_VIEW_NS = 200;

/** A tile has 1024 buckets; at this width or up to twice it, a bucket is at most one pixel wide. */
export const MIN_TILE_PIXELS = 512;

export function viewRange(start: number, end: number): ViewRange {
  return { start: timeNs(start), end: timeNs(end) };
}

export function lengthOf(range: ViewRange): number {
  return range.end - range.start;
}

export function timeToX(range: ViewRange, width: CssPixels, time: TimeNs): CssPixels {
  return cssPixels(((time - range.start) / (range.end - range.start)) * width);
}

export function xToTime(range: ViewRange, width: CssPixels, x: CssPixels): TimeNs {
  return timeNs(range.start + (x / width) * (range.end - range.start));
}

/** The nearest range within [0, traceEnd] that has at least the smallest length. */
export function clampRange(range: ViewRange, traceEnd: number): ViewRange {
  const whole = Math.max(traceEnd, MIN_VIEW_NS);
  let { start, end }: { start: number; end: number } = range;
  if (!Number.isFinite(start) || !Number.isFinite(end)) return viewRange(0, whole);
  if (end < start) [start, end] = [end, start];
  const length = Math.min(Math.max(end - start, MIN_VIEW_NS), whole);
  const middle = (start + end) / 2;
  const from = Math.min(Math.max(middle - length / 2, 0), whole - length);
  return viewRange(from, from + length);
}

/**
 * A factor above 1 zooms in. The point under `at` stays in place unless an end of the trace is
 * reached.
 */
export function zoomAbout(
  range: ViewRange,
  at: TimeNs,
  factor: number,
  traceEnd: number,
): ViewRange {
  const whole = Math.max(traceEnd, MIN_VIEW_NS);
  const before = lengthOf(range);
  const length = Math.min(Math.max(before / factor, MIN_VIEW_NS), whole);
  const share = (at - range.start) / before;
  const start = at - share * length;
  return clampRange(viewRange(start, start + length), traceEnd);
}

export function panBy(range: ViewRange, delta: number, traceEnd: number): ViewRange {
  return clampRange(viewRange(range.start + delta, range.end + delta), traceEnd);
}

/**
 * The interval that shows an event with its surroundings: the event takes about a third of the
 * width, or less where the view would otherwise become shorter than the smallest one.
 */
export function frameEvent(start: number, duration: number, traceEnd: number): ViewRange {
  const length = Math.max(duration * 3, MIN_VIEW_NS * 4);
  const middle = start + duration / 2;
  return clampRange(viewRange(middle - length / 2, middle + length / 2), traceEnd);
}

/** The time of a Python op and a few kernels, so that what led to a kernel is also visible. */
const CONTEXT_NS = 80_000;

/**
 * The interval that shows an event after following a link from a table: mostly its surroundings.
 */
export function frameContext(start: number, duration: number, traceEnd: number): ViewRange {
  const length = Math.max(duration * 5, CONTEXT_NS);
  const middle = start + duration / 2;
  return clampRange(viewRange(middle - length / 2, middle + length / 2), traceEnd);
}

/** Whether an event is visible well enough that the view need not move. */
export function isInView(range: ViewRange, start: number, duration: number): boolean {
  const end = start + duration;
  if (duration < lengthOf(range)) return start >= range.start && end <= range.end;
  // The event is longer than the view, so moving would not show more of it.
  return start < range.end && end > range.start;
}

/** The level whose tiles are shown between 512 and 1024 pixels wide. */
export function levelFor(
  range: ViewRange,
  width: CssPixels,
  span: number,
  maxLevel: number,
): number {
  const spanPixels = (span / lengthOf(range)) * width;
  const level = Math.floor(Math.log2(spanPixels / MIN_TILE_PIXELS));
  return Math.min(Math.max(level, 0), maxLevel);
}

export interface TileSpan {
  readonly level: number;
  readonly first: number;
  /** Inclusive. */
  readonly last: number;
}

/** The tiles of a level that a range touches. */
export function tilesIn(range: ViewRange, level: number, span: number, traceEnd: number): TileSpan {
  const tile = span / 2 ** level;
  const lastOfTrace = Math.max(Math.ceil(traceEnd / tile) - 1, 0);
  const first = Math.min(Math.max(Math.floor(range.start / tile), 0), lastOfTrace);
  const last = Math.min(Math.max(Math.ceil(range.end / tile) - 1, first), lastOfTrace);
  return { level, first, last };
}

/**
 * A range between two others. The length changes by a constant factor per unit of progress, and the
 * point that both ranges show at the same position stays there, as when zooming by hand.
 */
export function interpolate(from: ViewRange, to: ViewRange, progress: number): ViewRange {
  if (progress <= 0) return from;
  if (progress >= 1) return to;
  const lengthFrom = lengthOf(from);
  const lengthTo = lengthOf(to);
  const length = lengthFrom * (lengthTo / lengthFrom) ** progress;
  const change = lengthTo - lengthFrom;
  const share = Math.abs(change) < 1e-6 * lengthFrom ? progress : (length - lengthFrom) / change;
  const start = from.start + (to.start - from.start) * share;
  return viewRange(start, start + length);
}

/** Fast at first, then slower, so that the view responds immediately. */
export function easeOut(progress: number): number {
  const rest = 1 - Math.min(Math.max(progress, 0), 1);
  return 1 - rest * rest * rest;
}
