// The URLs of docs/api.md that the timeline uses, for one profile and aggregation.

import { paths } from "../base/api";
import type { EventDetails, Gap, SearchAnswer } from "../base/api_types";
import type { Source } from "../base/source";

export interface TimelineApi {
  /** The base URL of the timeline. */
  readonly base: string;
  readonly offline: boolean;
  tile(level: number, index: number, lanes: string, signal: AbortSignal): Promise<ArrayBuffer>;
  event(event: string, signal?: AbortSignal): Promise<EventDetails>;
  search(query: string, after: number, limit: number, signal?: AbortSignal): Promise<SearchAnswer>;
  gaps(limit: number, signal?: AbortSignal): Promise<{ gaps: Gap[] }>;
}

export function makeTimelineApi(
  source: Source,
  profile: string,
  agg: string,
  stamp: string,
): TimelineApi {
  const base = paths.timeline(profile, agg);
  return {
    base,
    offline: source.offline,
    tile: (level, index, lanes, signal) =>
      source.bytes(`${base}/tiles/${level}/${index}`, { lanes, v: stamp }, signal),
    event: (event, signal) =>
      source.json(`${base}/events/${encodeURIComponent(event)}`, undefined, signal),
    search: (query, after, limit, signal) =>
      source.json(
        `${base}/search`,
        { q: query, after: Math.max(0, Math.floor(after)), limit },
        signal,
      ),
    gaps: (limit, signal) => source.json(`${base}/gaps`, { limit }, signal),
  };
}
