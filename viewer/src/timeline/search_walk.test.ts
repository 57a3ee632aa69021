// @vitest-environment node
import { describe, expect, it } from "vitest";
import type { EventMatch, SearchAnswer } from "../base/api_types";
import { type Ask, nextMatch, previousMatch } from "./search_walk";

const END = 1_000_000_000;

/** Responds as described in docs/api.md, from a list of starts. */
function server(starts: number[], log: number[] = []): Ask {
  const all: EventMatch[] = starts.map((start, index) => ({
    event: `gpu:${index}`,
    name: "gemm",
    start,
    duration: 1,
    lane: 0,
    depth: 0,
    category: "other_kernels",
  }));
  return async (after, limit): Promise<SearchAnswer> => {
    log.push(after);
    const before = all.filter((match) => match.start < after).length;
    return { total: all.length, before, matches: all.slice(before, before + limit) };
  };
}

describe("stepping through matches", () => {
  const starts = Array.from({ length: 3000 }, (_, i) => i * i * 100);
  const ask = server(starts);

  it("goes forward one by one and wraps around", async () => {
    expect((await nextMatch(ask, 0, null))?.index).toBe(0);
    expect((await nextMatch(ask, starts[5] ?? 0, "gpu:5"))?.index).toBe(6);
    expect((await nextMatch(ask, starts[2999] ?? 0, "gpu:2999"))?.index).toBe(0);
  });

  it("goes back one by one and wraps around, with few requests", async () => {
    for (const at of [1, 2, 150, 1501, 2999]) {
      const log: number[] = [];
      const found = await previousMatch(server(starts, log), starts[at] ?? 0, `gpu:${at}`, END);
      expect(found?.index).toBe(at - 1);
      expect(log.length).toBeLessThan(20);
    }
    expect((await previousMatch(ask, 0, "gpu:0", END))?.index).toBe(2999);
  });

  it("goes through matches that start together", async () => {
    const together = server([5, 5, 5, 9]);
    expect((await nextMatch(together, 5, "gpu:1"))?.match.event).toBe("gpu:2");
    expect((await previousMatch(together, 5, "gpu:2", END))?.match.event).toBe("gpu:1");
    expect((await previousMatch(together, 9, "gpu:3", END))?.match.event).toBe("gpu:2");
  });

  it("finds nothing without matches", async () => {
    expect(await nextMatch(server([]), 5, null)).toBeNull();
    expect(await previousMatch(server([]), 5, null, END)).toBeNull();
  });
});
