// @vitest-environment node
import { describe, expect, it } from "vitest";
import { formatTick, formatTime, ticksFor } from "./ticks";
import { viewRange } from "./view_range";

describe("ticksFor", () => {
  it("has round steps that leave room for labels", () => {
    for (const length of [317, 5000, 77_777, 212_401_202, 9.9e10]) {
      const ticks = ticksFor(viewRange(1000, 1000 + length), 1200);
      const digits = ticks.step.toExponential().split("e")[0];
      expect(["1", "2", "5"]).toContain(digits);
      expect((ticks.step / length) * 1200).toBeGreaterThanOrEqual(92);
      expect(ticks.first).toBeLessThanOrEqual(1000);
      expect(ticks.first + (ticks.count - 1) * ticks.step).toBeGreaterThanOrEqual(1000 + length);
    }
  });

  it("never divides a nanosecond", () => {
    expect(ticksFor(viewRange(0, 200), 100_000).step).toBe(1);
  });
});

describe("formatTick", () => {
  it("uses one format for all labels of a view", () => {
    expect(formatTick(0, 2e7, 2.1e8)).toBe("0");
    expect(formatTick(4e7, 2e7, 2.1e8)).toBe("40 ms");
    expect(formatTick(1.5e9, 5e8, 2.1e9)).toBe("1.5 s");
    expect(formatTick(150_001_000, 500, 150_003_000)).toBe("150.0010 ms");
    expect(formatTick(2000, 1000, 5000)).toBe("2 µs");
  });
});

describe("formatTime", () => {
  it("is as exact as a pixel", () => {
    expect(formatTime(150_001_234, 900)).toBe("150.0012 ms");
    expect(formatTime(150_001_234, 0.3)).toBe("150.001234 ms");
    expect(formatTime(12, 1)).toBe("12 ns");
  });
});
