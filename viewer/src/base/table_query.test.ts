import { describe, expect, it } from "vitest";
import type { Cell, ReportAnswer } from "./api_types";
import { parseRange, queryTable } from "./table_query";

const rows: Cell[][] = [
  ["aten::mm", 30, true],
  ["aten::Linear", null, false],
  ["aten::to", 10, null],
  ["nvjet", 20.5, true],
];
const table: ReportAnswer = {
  report: "x",
  title: "X",
  columns: [
    { name: "Name", type: "text" },
    { name: "Time (ns)", type: "duration" },
    { name: "TC", type: "boolean" },
  ],
  total: 4,
  filtered: 4,
  offset: 0,
  rows,
  links: [{ event: "gpu:0" }, null, { start: 1, end: 2 }, null],
  notes: [],
};
const names = (params: Parameters<typeof queryTable>[1]) =>
  queryTable(table, params).rows.map((row) => row[0]);

describe("a table in the page", () => {
  it("keeps the report's order by default", () =>
    expect(names({})).toEqual(["aten::mm", "aten::Linear", "aten::to", "nvjet"]));

  it("puts missing values last in both orders", () => {
    expect(names({ sort: "Time (ns)", order: "asc" })).toEqual([
      "aten::to",
      "nvjet",
      "aten::mm",
      "aten::Linear",
    ]);
    expect(names({ sort: "Time (ns)", order: "desc" })).toEqual([
      "aten::mm",
      "nvjet",
      "aten::to",
      "aten::Linear",
    ]);
  });

  it("finds text in any cell, ignoring case", () => {
    expect(names({ search: "LINEAR" })).toEqual(["aten::Linear"]);
    expect(names({ search: "20.5" })).toEqual(["nvjet"]);
  });

  it("filters numbers by range, leaving out missing ones", () => {
    expect(names({ "f.Time (ns)": "10..20.5" })).toEqual(["aten::to", "nvjet"]);
    expect(names({ "f.Time (ns)": "20.." })).toEqual(["aten::mm", "nvjet"]);
    expect(names({ "f.Time (ns)": "..10" })).toEqual(["aten::to"]);
    expect(names({ "f.Time (ns)": "30" })).toEqual(["aten::mm"]);
  });

  it("filters booleans; missing is neither", () => {
    expect(names({ "f.TC": "1" })).toEqual(["aten::mm", "nvjet"]);
    expect(names({ "f.TC": "0" })).toEqual(["aten::Linear"]);
  });

  it("filters texts by part or by equality", () => {
    expect(names({ "f.Name": "ATEN" })).toEqual(["aten::mm", "aten::Linear", "aten::to"]);
    expect(names({ "f.Name": "=aten::mm" })).toEqual(["aten::mm"]);
    expect(names({ "f.Name": "=aten" })).toEqual([]);
  });

  it("combines several filters", () =>
    expect(names({ "f.Name": "aten", "f.TC": "1" })).toEqual(["aten::mm"]));

  it("returns a page with its links and counts", () => {
    const page = queryTable(table, { sort: "Name", order: "asc", offset: 1, limit: 2 });
    expect(page.rows.map((row) => row[0])).toEqual(["aten::mm", "aten::to"]);
    expect(page.links).toEqual([{ event: "gpu:0" }, { start: 1, end: 2 }]);
    expect(page).toMatchObject({ total: 4, filtered: 4, offset: 1 });
  });

  it("returns all rows on request", () =>
    expect(
      queryTable({ ...table, rows: Array(80).fill(rows[0]) }, { limit: "all" }).rows,
    ).toHaveLength(80));
});

it("ranges may be open-ended", () => {
  expect(parseRange("5..")).toEqual({ min: 5, max: Number.POSITIVE_INFINITY });
  expect(parseRange("..-5")).toEqual({ min: Number.NEGATIVE_INFINITY, max: -5 });
});
