import { type Aggregation, createAggregation, type NewAggregation, paths } from "./api";
import { pause } from "./connection";
import { busy } from "./idle";
import { getSource } from "./source";
import { refreshApi } from "./use_api";

const POLL_MS = 150;

/** `2-5`, `2-5@aten::linear` or `auto@aten::linear`; null for other ids. */
export function parseAggregationId(id: string): NewAggregation | null {
  const found = /^auto@(.+)$/.exec(id);
  if (found) return { key_op: found[1] };
  const match = /^(\d+)-(\d+)(?:@(.+))?$/.exec(id);
  if (!match) return null;
  return { start: Number(match[1]), stop: Number(match[2]), key_op: match[3] };
}

/** Requests an aggregation and polls it until it is ready or has failed. */
export async function computeAggregation(
  profile: string,
  wanted: NewAggregation,
  onProgress: (state: Aggregation) => void,
  signal: AbortSignal,
): Promise<Aggregation> {
  const made = await createAggregation(profile, wanted, signal);
  onProgress(made);
  refreshApi(paths.aggregations(profile));
  return followAggregation(profile, made, onProgress, signal);
}

export async function followAggregation(
  profile: string,
  first: Aggregation,
  onProgress: (state: Aggregation) => void,
  signal: AbortSignal,
): Promise<Aggregation> {
  const done = busy();
  try {
    let state = first;
    while (state.state === "computing") {
      await pause(POLL_MS, signal);
      state = await getSource().json(paths.aggregation(profile, state.id), undefined, signal);
      onProgress(state);
    }
    refreshApi(paths.aggregations(profile));
    return state;
  } finally {
    done();
  }
}

/** `iterations 2 to 5`, with the key op if there is one. */
export function describeRange({ start, stop, key_op }: NewAggregation): string {
  const range =
    start === undefined || stop === undefined
      ? "iterations"
      : start === stop
        ? `iteration ${start}`
        : `iterations ${start} to ${stop}`;
  return key_op ? `${range} by ${key_op}` : range;
}

/** The state of a request: pending, or its result. */
export function describeAggregation(a: Aggregation): string {
  return describeRange(a.state === "ready" ? a : (parseAggregationId(a.id) ?? a));
}
