// Next and previous match of a search. The server returns only matches "at or after T", with the
// number of matches before T. The previous match is found by requesting earlier T until it is in
// the response.

import type { EventMatch, SearchAnswer } from "../base/api_types";

export type Ask = (after: number, limit: number) => Promise<SearchAnswer>;

export interface Found {
  match: EventMatch;
  /** Counted from 0. */
  index: number;
  total: number;
}

const PAGE = 100;
/** More requests than needed for halving an interval of 2^53 ns find nothing new. */
const MAX_ASKS = 60;

function found(answer: SearchAnswer, at: number): Found | null {
  const match = answer.matches[at];
  return match === undefined ? null : { match, index: answer.before + at, total: answer.total };
}

/**
 * The first match after `time`, or after the event itself if others start at the same time; wraps
 * around.
 */
export async function nextMatch(
  ask: Ask,
  time: number,
  current: string | null,
): Promise<Found | null> {
  const answer = await ask(time, PAGE);
  const at = answer.matches.findIndex((match) => match.event === current);
  const next = found(answer, at + 1);
  // If the current match is not among them, the first one may be it.
  if (next !== null) return next;
  return found(await ask(0, 1), 0);
}

async function matchBefore(ask: Ask, time: number, count: number): Promise<Found | null> {
  let low = 0;
  let high = time;
  let width = Math.max(time / 64, 1);
  let after = Math.max(time - width, 0);
  for (let i = 0; i < MAX_ASKS; ++i) {
    const answer = await ask(after, PAGE);
    const at = count - 1 - answer.before;
    if (at >= 0 && at < answer.matches.length) return found(answer, at);
    if (at < 0) {
      high = after;
      width *= 4;
      after = Math.max(low, high - width);
    } else {
      low = after + 1;
      after = Math.floor((low + high) / 2);
    }
  }
  return null;
}

/** The last match before `time`; wraps around. */
export async function previousMatch(
  ask: Ask,
  time: number,
  current: string | null,
  traceEnd: number,
): Promise<Found | null> {
  const here = await ask(time, PAGE);
  if (here.total === 0) return null;
  const at = here.matches.findIndex((match) => match.event === current);
  // Several may start at the same time; those before the current one are in this response.
  if (at > 0) return found(here, at - 1);
  if (here.before > 0) return matchBefore(ask, time, here.before);
  return matchBefore(ask, traceEnd + 1, here.total);
}
