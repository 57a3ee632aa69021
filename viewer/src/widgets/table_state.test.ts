import { describe, expect, it } from "vitest";
import { parseRoute } from "../base/route";
import {
  formatRange,
  nextSort,
  pageChoices,
  parseQuantity,
  parseTableState,
  rowParams,
  splitRange,
  stateChanges,
} from "./table_state";

const params = (query: string) => parseRoute(`#/p/v?${query}`).params;

describe("a table's state in the address", () => {
  it("is separate for each of several tables", () => {
    const query = params("a.page=3&a.sort=-Time%20(ns)&b.page=5&a.f.Op%20ID=x&a.q=mm&a.size=all");
    const a = parseTableState(query, "a");
    expect(a).toMatchObject({
      page: 3,
      size: "all",
      sort: { column: "Time (ns)", down: true },
      search: "mm",
    });
    expect([...a.filters]).toEqual([["Op ID", "x"]]);
    expect(parseTableState(query, "b")).toMatchObject({
      page: 5,
      size: 25,
      sort: null,
      search: "",
    });
  });

  it("is ignored if it is invalid", () => {
    const state = parseTableState(params("t.page=-4&t.size=7"), "t", { size: 10 });
    expect(state).toMatchObject({ page: 1, size: 10 });
  });

  it("goes back to the first page if other rows are requested", () => {
    expect(stateChanges("t", { search: "x" })).toEqual({ "t.q": "x", "t.page": null });
    expect(stateChanges("t", { sort: { column: "A", down: true } })).toEqual({
      "t.sort": "-A",
      "t.page": null,
    });
    expect(stateChanges("t", { filter: { column: "A", value: "1.." } })).toEqual({
      "t.f.A": "1..",
      "t.page": null,
    });
    expect(stateChanges("t", { selected: "k" })).toEqual({ "t.sel": "k" });
    expect(stateChanges("t", { page: 4 })).toEqual({ "t.page": 4 });
  });

  it("becomes the server's parameters, and fixed ones take precedence", () => {
    const state = parseTableState(params("t.sort=Name&t.q=mm&t.f.Op%20ID=a&t.f.TC=1"), "t");
    expect(rowParams(state, { "f.Op ID": "=MM_1" })).toEqual({
      sort: "Name",
      order: "asc",
      search: "mm",
      "f.Op ID": "=MM_1",
      "f.TC": "1",
    });
  });
});

describe("a click on a header", () => {
  const time = { name: "T", type: "duration" } as const;
  const text = { name: "N", type: "text" } as const;
  it("sorts numbers in descending order first", () => {
    const first = nextSort(null, time);
    expect(first).toEqual({ column: "T", down: true });
    expect(nextSort(first, time)).toEqual({ column: "T", down: false });
    expect(nextSort(nextSort(first, time), time)).toBeNull();
  });
  it("sorts texts in ascending order first", () => {
    expect(nextSort({ column: "T", down: true }, text)).toEqual({ column: "N", down: false });
  });
});

it.each([
  [1, 1, [1]],
  [1, 3, [1, 2, 3]],
  [1, 35, [1, 2, null, 35]],
  [4, 35, [1, 2, 3, 4, 5, null, 35]],
  [18, 35, [1, null, 17, 18, 19, null, 35]],
  [35, 35, [1, null, 34, 35]],
])("page %d of %d offers %j", (page, pages, choices) =>
  expect(pageChoices(page, pages)).toEqual(choices),
);

describe("numbers as people type them", () => {
  it.each([
    ["15", 15],
    ["1,500", 1500],
    ["2 ms", 2e6],
    ["1.5us", 1500],
    ["3µs", 3000],
    ["1 GB", 1e9],
    ["50%", 50],
    ["1e3", 1000],
    ["abc", null],
    ["5 parsecs", null],
  ])("%s is %s", (text, value) => expect(parseQuantity(text)).toBe(value));

  it("form ranges", () => {
    expect(formatRange("1 ms", "")).toBe("1000000..");
    expect(formatRange("", "5")).toBe("..5");
    expect(formatRange("", "")).toBe("");
    expect(formatRange("x", "5")).toBeNull();
    expect(splitRange("10..20")).toEqual(["10", "20"]);
    expect(splitRange("15")).toEqual(["15", "15"]);
    expect(splitRange("")).toEqual(["", ""]);
  });
});
