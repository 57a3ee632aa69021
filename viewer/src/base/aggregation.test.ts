import { expect, it } from "vitest";
import { describeRange, parseAggregationId } from "./aggregation";

it.each([
  ["2-5", { start: 2, stop: 5, key_op: undefined }],
  ["0-0@aten::linear", { start: 0, stop: 0, key_op: "aten::linear" }],
  ["auto@a@b-c", { key_op: "a@b-c" }],
  ["default", null],
  ["2-", null],
  ["auto", null],
  ["-1-3", null],
])("%s is parsed", (id, wanted) => expect(parseAggregationId(id)).toEqual(wanted));

it("is described in words", () => {
  expect(describeRange({ start: 2, stop: 5 })).toBe("iterations 2 to 5");
  expect(describeRange({ start: 2, stop: 2, key_op: "mm" })).toBe("iteration 2 by mm");
  expect(describeRange({ key_op: "mm" })).toBe("iterations by mm");
});
