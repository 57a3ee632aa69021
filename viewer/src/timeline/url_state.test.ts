// @vitest-environment node
import { describe, expect, it } from "vitest";
import { readUrl, writeUrl } from "./url_state";
import { viewRange } from "./view_range";

const END = 1_000_000;

function params(record: Record<string, string>): ReadonlyMap<string, string> {
  return new Map(Object.entries(record));
}

function written(record: Record<string, string>): Record<string, string> {
  const result: Record<string, string> = {};
  for (const [name, value] of Object.entries(writeUrl(readUrl(params(record)), END))) {
    if (value !== null && value !== undefined) result[name] = String(value);
  }
  return result;
}

describe("the address", () => {
  it("round-trips", () => {
    const all = {
      start: "100",
      end: "2000",
      event: "gpu:123",
      sel: "5-900",
      q: "aten::mm",
      flip: "5,g1",
    };
    expect(written(all)).toEqual(all);
  });

  it("is empty for the whole run", () => {
    expect(written({})).toEqual({});
    expect(written({ start: "0", end: String(END) })).toEqual({});
  });

  it("reads links from tables", () => {
    expect(readUrl(params({ event: "host:4711" }))).toMatchObject({
      event: "host:4711",
      range: null,
    });
    expect(readUrl(params({ start: "5", end: "9" })).range).toEqual(viewRange(5, 9));
  });

  it("ignores invalid parts", () => {
    const wrongs: Record<string, string>[] = [
      { start: "9", end: "5" },
      { start: "5" },
      { start: "x", end: "9" },
      { start: "-5", end: "9" },
      { event: "gpu" },
      { event: "gpu:1/../2" },
      { sel: "9-5" },
      { sel: "5" },
      { flip: "x,,-1" },
      { q: "   " },
    ];
    for (const wrong of wrongs) {
      expect(written(wrong), JSON.stringify(wrong)).toEqual({});
    }
  });
});
