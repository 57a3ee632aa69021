import { describe, expect, it } from "vitest";
import type { Cell, ReportAnswer } from "../../base/api";
import { allGroups, buildTree, ROOT, visibleRows } from "./tree";

function answer(names: string[], rows: Cell[][]): ReportAnswer {
  return {
    report: "x",
    title: "",
    columns: names.map((name) => ({ name, type: "text" })),
    total: rows.length,
    filtered: rows.length,
    offset: 0,
    rows,
    links: [],
    notes: [],
  };
}

const groups = answer(
  ["Name", "Num Calls Aggregated", "Total GPU Time (ns)", "Bprop GPU Time (ns)"],
  [
    ["_CompleteModel_", 10, 100, 20],
    ["backward/", 1, 10, 0],
    ["forward/", 8, 85, 20],
    ["forward/GPT_0/", 7, 80, 20],
  ],
);
const ops = answer(
  ["Op ID", "Op Name", "Direction", "Total GPU Time (ns)"],
  [
    ["MM_1", "forward/GPT_0/aten::mm", "fprop", 60],
    ["MM_2", "forward/GPT_0/aten::mm", "bprop", 20],
    ["SLASH_1", "forward/a/b", "fprop", 5],
    ["ADD_1", "aten::add", "fprop", 5],
  ],
);

describe("the tree of groups", () => {
  const root = buildTree(groups, ops);
  if (root === null) throw new Error("no tree");

  it("arranges groups and ops by path, largest first", () => {
    const shape = visibleRows(root, () => true, "").map((r) => `${r.node.level} ${r.node.name}`);
    expect(shape).toEqual([
      "0 all ops",
      "1 forward",
      "2 GPT_0",
      "3 aten::mm (fprop)",
      "3 aten::mm (bprop)",
      "2 a/b (fprop)",
      "1 backward",
      "1 aten::add (fprop)",
    ]);
  });

  it("shows only children of open groups", () => {
    const rows = visibleRows(root, (node) => node.id === ROOT, "");
    expect(rows.map((r) => r.node.id)).toEqual([ROOT, "forward/", "backward/", "ADD_1"]);
  });

  it("shows search results and their parents", () => {
    const rows = visibleRows(root, () => false, "GPT_0/aten::MM");
    expect(rows.map((r) => r.node.id)).toEqual([
      ROOT,
      "forward/",
      "forward/GPT_0/",
      "MM_1",
      "MM_2",
    ]);
    expect(visibleRows(root, () => false, "nothing")).toEqual([]);
  });

  it("lists its groups", () =>
    expect(allGroups(root)).toEqual([ROOT, "forward/", "forward/GPT_0/", "backward/"]));

  it("separates backward work in a forward scope", () => {
    const backward = visibleRows(root, () => true, "").map((r) => r.node.measures.backwardNs);
    expect(backward).toEqual([20, 20, 20, 0, 20, 0, 0, 0]);
  });

  it("omits the level of a leading slash", () => {
    const marked = buildTree(
      answer(
        ["Name", "Total GPU Time (ns)"],
        [
          ["/", 7],
          ["/main/", 7],
          ["/main/Net::forward/", 7],
          ["_CompleteModel_", 9],
        ],
      ),
      answer(
        ["Op ID", "Op Name", "Direction", "Total GPU Time (ns)"],
        [
          ["RELU_1", "/main/Net::forward/relu", "fprop", 7],
          ["CUDAMEMCPY_1", "unassociated_cudaMemcpy", null, 2],
        ],
      ),
    );
    if (marked === null) throw new Error("no tree");
    const shape = visibleRows(marked, () => true, "").map((r) => `${r.node.level} ${r.node.name}`);
    expect(shape).toEqual([
      "0 all ops",
      "1 main",
      "2 Net::forward",
      "3 relu (fprop)",
      "1 unassociated_cudaMemcpy",
    ]);
  });

  it("is null without ops", () => expect(buildTree(answer(["Name"], []), ops)).toBeNull());
});
