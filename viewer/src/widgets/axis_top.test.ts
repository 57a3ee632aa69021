import { describe, expect, it } from "vitest";
import { axisTop } from "./axis_top";
import type { Bar } from "./stacked_bars";

const bar = (total: number, outside: boolean): Bar => ({ index: 0, total, values: [], outside });

describe("axisTop", () => {
  it("cuts off what is much longer than every iteration that counts", () => {
    expect(axisTop([bar(9000, true), bar(30, false), bar(40, false)])).toBe(50);
  });
  it("leaves the axis alone where all can be seen", () => {
    expect(axisTop([bar(100, true), bar(30, false), bar(40, false)])).toBeUndefined();
    expect(axisTop([bar(30, false), bar(400, false)])).toBeUndefined();
    expect(axisTop([bar(30, true)])).toBeUndefined();
    expect(axisTop([])).toBeUndefined();
  });
});
