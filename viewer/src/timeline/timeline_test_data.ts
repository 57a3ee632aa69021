// A small timeline for tests: one GPU with a stream, one process with two threads.

import type { Lane, Timeline } from "../base/api_types";

export function testLane(id: number, changes: Partial<Lane> = {}): Lane {
  return { id, group: null, kind: "thread", title: `Lane ${id}`, rows: 1, events: 1, ...changes };
}

export const CATEGORIES = [
  "tensor_cores",
  "other_kernels",
  "cpu",
  "api",
  "iteration",
  "gap_host_work",
];

export function testTimeline(changes: Partial<Timeline> = {}): Timeline {
  return {
    stamp: "s",
    end: 1_000_000,
    span: 2 ** 20,
    max_level: 10,
    range: { start: 100_000, end: 900_000 },
    groups: [
      { id: 0, kind: "gpu", title: "GPU 0", detail: "NVIDIA H200" },
      { id: 1, kind: "process", title: "python 1", detail: "" },
    ],
    lanes: [
      testLane(0, { kind: "iterations", title: "Iterations", events: 4 }),
      testLane(1, { group: 0, kind: "utilization", events: 0, max: 1 }),
      testLane(3, { group: 0, kind: "gaps", events: 40 }),
      testLane(4, { group: 0, kind: "stream", events: 3000 }),
      testLane(5, { group: 1, rows: 9, events: 18_000 }),
      testLane(6, { group: 1, rows: 8, events: 10 }),
    ],
    categories: CATEGORIES,
    ...changes,
  };
}
