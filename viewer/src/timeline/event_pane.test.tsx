import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, describe, expect, it } from "vitest";
import type { EventDetails } from "../base/api_types";
import { ApiError } from "../base/source";
import { Actions } from "./actions";
import { EventPane } from "./event_pane";
import type { TimelineApi } from "./timeline_api";
import { TimelineModel } from "./timeline_model";
import { testTimeline } from "./timeline_test_data";

const KERNEL: EventDetails = {
  event: "gpu:123",
  kind: "kernel",
  category: "tensor_cores",
  name: "gemm_kernel",
  full_name: "void cutlass::gemm_kernel<float>(int)",
  start: 1_264_171,
  duration: 1952,
  lane: 4,
  depth: 0,
  iteration: 0,
  fields: [{ name: "Grid", value: "32 × 1 × 1" }],
  stack: ["train.py(31): forward", "train.py(31): forward"],
  links: [
    {
      role: "launch",
      event: "api:9",
      name: "cudaLaunchKernel",
      start: 1_231_560,
      duration: 34_537,
      lane: 5,
      depth: 4,
    },
  ],
  links_total: 1,
  same_name: { count: 148, previous: null, next: "gpu:160" },
};

function show(event: (id: string) => Promise<EventDetails>) {
  const api: TimelineApi = {
    base: "/timeline",
    offline: false,
    tile: () => new Promise(() => undefined),
    event,
    search: () => new Promise(() => undefined),
    gaps: () => new Promise(() => undefined),
  };
  const model = new TimelineModel(testTimeline(), api, { reducedMotion: () => true });
  render(<EventPane handle={{ model, actions: new Actions(model) }} />);
  return model;
}

afterEach(cleanup);

describe("EventPane", () => {
  it("shows the facts about an event and its links", async () => {
    const model = show(async (id) => ({ ...KERNEL, event: id }));
    expect(screen.getByText("No event selected")).toBeTruthy();
    model.selectEvent("gpu:123", "none");
    expect(await screen.findByText("32 × 1 × 1")).toBeTruthy();
    expect(screen.getByRole("heading", { name: "gemm_kernel" })).toBeTruthy();
    expect(screen.getByText("Kernel")).toBeTruthy();
    expect(screen.getByText("1.95 µs")).toBeTruthy();
    expect(screen.getAllByText("train.py(31): forward")).toHaveLength(2);
    const previous = screen.getByRole("button", { name: "Previous with this name" });
    expect(previous).toHaveProperty("disabled", true);
    fireEvent.click(screen.getByRole("button", { name: /cudaLaunchKernel/ }));
    expect(model.ui.get().selected).toMatchObject({ event: "api:9", place: { lane: 5, depth: 4 } });
  });

  it("goes to the next event with the same name", async () => {
    const model = show(async (id) => ({ ...KERNEL, event: id }));
    model.selectEvent("gpu:123", "none");
    fireEvent.click(await screen.findByRole("button", { name: "Next with this name" }));
    expect(model.ui.get().selected?.event).toBe("gpu:160");
  });

  it("breaks down the event's time", async () => {
    const model = show(async () => ({ ...KERNEL, start: 1000, duration: 500 }));
    model.selectEvent("gpu:123", "none");
    fireEvent.click(await screen.findByRole("button", { name: "Break down its time" }));
    expect(model.ui.get()).toMatchObject({ stretch: { start: 1000, end: 1500 }, pane: "stretch" });
  });

  it("says why there are no details", async () => {
    const model = show(() =>
      Promise.reject(new ApiError(404, "unknown-event", "there is no such event")),
    );
    model.selectEvent("gpu:9999", "none");
    expect(await screen.findByText("There is no such event.")).toBeTruthy();
  });
});
