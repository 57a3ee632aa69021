import { describe, expect, it } from "vitest";
import { axisTop } from "./axis_top";
import type { Bar } from "./stacked_bars";

const bar = (total: number, outside: boolean): Bar => ({ index: 0, total, values: [], outside });

describe("axisTop", () => {
  it("cuts off an iteration that is much longer than all analyzed ones", () => {
    expect(axisTop([bar(9000, true), bar(30, false), bar(40, false)])).toBe(50);
  });
  it("keeps the axis if all bars are visible", () => {
    expect(axisTop([bar(100, true), bar(30, false), bar(40, false)])).toBeUndefined();
    expect(axisTop([bar(30, false), bar(400, false)])).toBeUndefined();
    expect(axisTop([bar(30, true)])).toBeUndefined();
    expect(axisTop([])).toBeUndefined();
  });
});
