import { cleanup, render, screen } from "@testing-library/react";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { OfflineSource } from "../base/offline_source";
import { setSource } from "../base/source";
import { testTimeline } from "./timeline_test_data";
import { TimelineView, whatIsMissing } from "./timeline_view";

beforeAll(() => setSource(new OfflineSource(Promise.resolve({ responses: {} }))));
afterEach(cleanup);

describe("whatIsMissing", () => {
  const without = (kind: string) =>
    testTimeline({ lanes: testTimeline().lanes.filter((lane) => lane.kind !== kind) });

  it("is empty for a complete trace", () => {
    expect(whatIsMissing(testTimeline())).toEqual([]);
  });

  it("says what is missing in a trace, and why", () => {
    expect(whatIsMissing(without("stream"))[0]).toContain("no GPU work");
    expect(whatIsMissing(without("thread"))[0]).toContain("no events of CPU threads");
    expect(whatIsMissing(without("iterations"))[0]).toContain("No iterations");
  });
});

describe("TimelineView", () => {
  it("says why there is nothing to draw", () => {
    render(<TimelineView timeline={testTimeline({ lanes: [] })} profile="p" agg="default" />);
    expect(screen.getByText("Nothing to draw")).toBeTruthy();
  });
});
