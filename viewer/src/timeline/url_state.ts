// The timeline's state in the URL.

import type { RouteParams } from "../base/route";
import type { Flips } from "./layout";
import type { Stretch } from "./timeline_model";
import { type ViewRange, viewRange } from "./view_range";

export interface UrlState {
  /** Null shows the whole run. */
  readonly range: ViewRange | null;
  readonly event: string | null;
  readonly stretch: Stretch | null;
  readonly query: string;
  readonly flips: Flips;
}

function numberOf(text: string | undefined): number | null {
  if (text === undefined || text === "") return null;
  const value = Number(text);
  return Number.isFinite(value) && value >= 0 ? value : null;
}

const EVENT = /^(?:host|api|gpu|gap|iteration|annotation|stretch):\d+$/;

/** Reads valid parts and ignores the rest: URLs may be typed or truncated. */
export function readUrl(params: ReadonlyMap<string, string>): UrlState {
  const start = numberOf(params.get("start"));
  const end = numberOf(params.get("end"));
  const event = params.get("event") ?? "";
  const [from, to] = (params.get("sel") ?? "").split("-").map(numberOf);
  const hasStretch = typeof from === "number" && typeof to === "number" && to > from;
  const flips = (params.get("flip") ?? "").split(",").filter((key) => /^g?\d+$/.test(key));
  return {
    range: start !== null && end !== null && end > start ? viewRange(start, end) : null,
    event: EVENT.test(event) ? event : null,
    stretch: hasStretch ? { start: from, end: to } : null,
    query: params.get("q") ?? "",
    flips: new Set(flips),
  };
}

/** Null for default values. */
export function writeUrl(state: UrlState, traceEnd: number): RouteParams {
  const { range, stretch } = state;
  const start = range === null ? 0 : Math.round(range.start);
  const end = range === null ? traceEnd : Math.round(range.end);
  const whole = start <= 0 && end >= traceEnd;
  return {
    start: whole ? null : start,
    end: whole ? null : end,
    event: state.event,
    sel: stretch === null ? null : `${Math.round(stretch.start)}-${Math.round(stretch.end)}`,
    q: state.query.trim() === "" ? null : state.query,
    flip: state.flips.size === 0 ? null : [...state.flips].sort().join(","),
  };
}

export function sameUrl(a: UrlState, b: UrlState, traceEnd: number): boolean {
  return JSON.stringify(writeUrl(a, traceEnd)) === JSON.stringify(writeUrl(b, traceEnd));
}
