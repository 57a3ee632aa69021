// @vitest-environment node
import { describe, expect, it, vi } from "vitest";
import type { EventDetails } from "../base/api_types";
import { ApiError } from "../base/source";
import { Actions } from "./actions";
import { laneFlip } from "./layout";
import { pointAt } from "./point_at";
import { headerHeight } from "./scene";
import { encodeTile, type TestSlice } from "./tile_test_data";
import type { TimelineApi } from "./timeline_api";
import { TimelineModel } from "./timeline_model";
import { testTimeline } from "./timeline_test_data";
import { viewRange } from "./view_range";

const ITERATIONS: TestSlice[] = [0, 1, 2, 3].map((event) => ({
  lane: 0,
  depth: 0,
  start: event * 250_000,
  duration: 250_000,
  event,
  table: 4,
  name: `step ${event}`,
}));
const KERNEL: TestSlice = { lane: 4, depth: 0, start: 500_000, duration: 2000, event: 7, table: 2 };

function detailsOf(event: string, changes: Partial<EventDetails> = {}): EventDetails {
  return {
    event,
    kind: "kernel",
    category: "other_kernels",
    name: event,
    full_name: event,
    start: 500_000,
    duration: 2000,
    lane: 4,
    depth: 0,
    iteration: 2,
    fields: [],
    stack: [],
    links: [],
    links_total: 0,
    same_name: { count: 2, previous: null, next: "gpu:9" },
    ...changes,
  };
}

function setup(changes: Partial<TimelineApi> = {}) {
  const api: TimelineApi = {
    base: "/timeline",
    offline: false,
    tile: vi.fn(async (_level, _index, lanes: string) =>
      encodeTile(lanes.startsWith("0") ? [...ITERATIONS, KERNEL] : []),
    ),
    event: vi.fn(async (event) => detailsOf(event)),
    search: vi.fn(async () => ({ total: 0, before: 0, matches: [] })),
    gaps: vi.fn(async () => ({ gaps: [] })),
    ...changes,
  };
  const model = new TimelineModel(testTimeline(), api, { reducedMotion: () => true });
  model.view.width = 1000;
  model.view.height = 300;
  model.lanesHeight = 300 - headerHeight(model.layout);
  return { model, api, actions: new Actions(model) };
}

/** The state after a frame that found its tiles. */
async function loaded(model: TimelineModel): Promise<void> {
  model.updatePieces();
  await new Promise((resolve) => setTimeout(resolve, 0));
  model.updatePieces();
}

describe("TimelineModel", () => {
  it("frames an event from a link, with its surroundings", async () => {
    const { model } = setup();
    await model.selectEvent("gpu:7", "context");
    const { start, end } = model.view.range;
    expect(start).toBeLessThan(470_000);
    expect(end).toBeGreaterThan(530_000);
    expect(end - start).toBeLessThan(200_000);
    expect(model.ui.get()).toMatchObject({ pane: "event", selected: { event: "gpu:7" } });
    expect(model.ui.get().announcement).toContain("gpu:7, 2.00 µs at 500 µs");
  });

  it("unfolds and scrolls to the row of the selection", async () => {
    const { model } = setup({ event: async (event) => detailsOf(event, { lane: 6, depth: 7 }) });
    model.lanesHeight = 60;
    await model.selectEvent("host:1", "show");
    expect(model.ui.get().flips).toEqual(new Set([laneFlip(6)]));
    const box = model.layout.lanes.get(6);
    expect(model.view.scrollTop).toBeGreaterThan((box?.top ?? 0) - 60);
  });

  it("says why an event has no details and keeps known data", async () => {
    const error = new ApiError(404, "not-embedded", "not here");
    const { model } = setup({ event: () => Promise.reject(error) });
    model.select({ event: "gpu:7", name: "k", start: 5, duration: 1, lane: 4, depth: 0 }, "none");
    await vi.waitFor(() => expect(model.ui.get().selected?.error).toBe(error));
    expect(model.ui.get().selected?.place?.name).toBe("k");
  });

  it("ignores details of an event that is no longer selected", async () => {
    const answers: ((details: EventDetails) => void)[] = [];
    const { model } = setup({ event: () => new Promise((resolve) => answers.push(resolve)) });
    const first = model.selectEvent("gpu:1", "none");
    const second = model.selectEvent("gpu:2", "none");
    answers[1]?.(detailsOf("gpu:2"));
    answers[0]?.(detailsOf("gpu:1"));
    await Promise.all([first, second]);
    expect(model.ui.get().selected).toMatchObject({ event: "gpu:2", details: { event: "gpu:2" } });
  });

  it("clears the interval first, then the event", async () => {
    const { model } = setup();
    await model.selectEvent("gpu:7", "none");
    model.setStretch({ start: 900, end: 100 });
    expect(model.ui.get()).toMatchObject({ stretch: { start: 100, end: 900 }, pane: "stretch" });
    model.clearSelection();
    expect(model.ui.get()).toMatchObject({ stretch: null, pane: "event" });
    model.clearSelection();
    expect(model.ui.get()).toMatchObject({ selected: null, pane: null });
  });

  it("says that the timeline is reduced when tiles are not embedded", async () => {
    const { model } = setup({
      tile: async (level) => {
        if (level > 0) throw new ApiError(404, "not-embedded", "");
        return encodeTile([KERNEL]);
      },
    });
    model.view.moveTo(viewRange(400_000, 600_000), false);
    model.updatePieces();
    await vi.waitFor(() => {
      model.updatePieces();
      expect(model.piecesOfLane(4)).toHaveLength(1);
    });
    expect(model.ui.get()).toMatchObject({ reduced: true, error: null });
    expect(model.sliceAt(4, 0, 501_000, 0)?.event).toBe("gpu:7");
  });

  it("finds what is under the pointer", async () => {
    const { model } = setup();
    await loaded(model);
    const y = headerHeight(model.layout) + (model.layout.lanes.get(4)?.rowTop ?? 0) + 5;
    expect(pointAt(model, 501, y).hit?.event).toBe("gpu:7");
    expect(pointAt(model, 504, y).hit?.event).toBe("gpu:7");
    expect(pointAt(model, 520, y).hit).toBeNull();
    expect(pointAt(model, 300, headerHeight(model.layout) - 5).hit?.name).toBe("step 1");
    expect(pointAt(model, 300, 5).hit).toBeNull();
  });
});

describe("Actions", () => {
  it("goes from iteration to iteration", async () => {
    const { model, actions } = setup();
    await actions.nextIteration(1);
    expect(model.ui.get().selected?.event).toBe("iteration:0");
    model.patch({ selected: null });
    model.view.moveTo(viewRange(600_000, 700_000), false);
    await loaded(model);
    await actions.nextIteration(1);
    expect(model.ui.get().selected?.event).toBe("iteration:3");
  });

  it("goes through gaps, longest first, and wraps around", async () => {
    const gap = (row: number) => ({
      event: `gap:${row}`,
      start: 0,
      duration: 100 - row,
      lane: 3,
      cause: "cpu",
      op: null,
    });
    const { model, actions, api } = setup({
      gaps: vi.fn(async () => ({ gaps: [gap(0), gap(1)] })),
    });
    for (const expected of ["gap:0", "gap:1", "gap:0"]) {
      await actions.nextGap(1);
      expect(model.ui.get().selected?.event).toBe(expected);
    }
    expect(api.gaps).toHaveBeenCalledTimes(1);
  });

  it("goes to the next event of the same name without a search", async () => {
    const { model, actions } = setup();
    await model.selectEvent("gpu:7", "none");
    await actions.nextOccurrence(1);
    expect(model.ui.get().selected?.event).toBe("gpu:9");
    await actions.nextOccurrence(-1);
    expect(model.ui.get().announcement).toContain("No more events with this name");
  });

  it("reports a failing server instead of throwing", async () => {
    const { model, actions } = setup({
      gaps: () => Promise.reject(new ApiError(500, "internal", "broken")),
    });
    await actions.nextGap(1);
    expect(model.ui.get().error?.message).toBe("broken");
  });
});
