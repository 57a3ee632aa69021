// Next and previous match of a search. The server answers only "at or after T", with the number of matches
// before T; the previous one is found by asking for earlier T until it is in the answer.

import type { EventMatch, SearchAnswer } from "../base/api_types";

export type Ask = (after: number, limit: number) => Promise<SearchAnswer>;

export interface Found {
  match: EventMatch;
  /** From 0. */
  index: number;
  total: number;
}

const PAGE = 100;
/** Halving a stretch of 2^53 ns more often than this finds nothing new. */
const MAX_ASKS = 60;

function found(answer: SearchAnswer, at: number): Found | null {
  const match = answer.matches[at];
  return match === undefined ? null : { match, index: answer.before + at, total: answer.total };
}

/** The first match after `time`, or after the event itself when others start with it; wraps around. */
export async function nextMatch(
  ask: Ask,
  time: number,
  current: string | null,
): Promise<Found | null> {
  const answer = await ask(time, PAGE);
  const at = answer.matches.findIndex((match) => match.event === current);
  const next = found(answer, at + 1);
  // Without the current one among them, the first may be where we are already.
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
  // Several may start at the same time; those before the current one are in this answer.
  if (at > 0) return found(here, at - 1);
  if (here.before > 0) return matchBefore(ask, time, here.before);
  return matchBefore(ask, traceEnd + 1, here.total);
}
