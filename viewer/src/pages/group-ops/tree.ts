import type { ReportAnswer } from "../../base/api";
import { rowReader } from "../../base/reports";

export interface Measures {
  calls: number;
  tcEligible: number;
  usingTc: number;
  cpuNs: number;
  gpuNs: number;
  /** The parts of gpuNs by direction; the rest is data loading and work without an op. */
  forwardNs: number;
  backwardNs: number;
  optimizerNs: number;
  overheadNs: number;
  idleNs: number;
}

/** A group of ops (a module, a scope) or one op. */
export interface TreeNode {
  /** The path of a group, which ends in "/"; for an op, its id. */
  id: string;
  kind: "group" | "op";
  name: string;
  /** The full name, from the root on. */
  path: string;
  level: number;
  measures: Measures;
  children: TreeNode[];
}

/** The group of all ops. */
export const ROOT = "_CompleteModel_";
/** The group of all ops whose names begin with a slash: it is not shown as a level. */
const SLASH = "/";

/** Groups by path with the ops directly in them, ordered by descending GPU time. */
export function buildTree(groups: ReportAnswer, ops: ReportAnswer): TreeNode | null {
  const read = rowReader("group_op", groups);
  const nodes = new Map<string, TreeNode>();
  for (const row of groups.rows) {
    const path = read.get(row, "Name") ?? "";
    if (path === SLASH) continue;
    const parts = path === ROOT ? [] : path.split("/").filter((part) => part !== "");
    nodes.set(path, {
      id: path,
      kind: "group",
      name: parts.at(-1) ?? "all ops",
      path,
      level: parts.length,
      measures: {
        calls: read.get(row, "Num Calls Aggregated") ?? 0,
        tcEligible: read.get(row, "Num TC Eligible Ops") ?? 0,
        usingTc: read.get(row, "Num Ops Using TC") ?? 0,
        cpuNs: read.get(row, "Total CPU Time (ns)") ?? 0,
        gpuNs: read.get(row, "Total GPU Time (ns)") ?? 0,
        forwardNs: read.get(row, "Fprop GPU Time (ns)") ?? 0,
        backwardNs: read.get(row, "Bprop GPU Time (ns)") ?? 0,
        optimizerNs: read.get(row, "Optimizer GPU Time (ns)") ?? 0,
        overheadNs: read.get(row, "Total CPU Overhead (ns)") ?? 0,
        idleNs: read.get(row, "Total GPU Idle (ns)") ?? 0,
      },
      children: [],
    });
  }
  const root = nodes.get(ROOT);
  if (root === undefined) return null;
  for (const node of nodes.values()) {
    if (node === root) continue;
    parentOf(node.path.slice(0, -1), nodes, root).children.push(node);
  }
  addOps(ops, nodes, root);
  sortChildren(root);
  return root;
}

function addOps(ops: ReportAnswer, nodes: ReadonlyMap<string, TreeNode>, root: TreeNode): void {
  const read = rowReader("detail", ops);
  for (const row of ops.rows) {
    const path = read.get(row, "Op Name") ?? "";
    const parent = parentOf(path, nodes, root);
    const direction = read.get(row, "Direction") ?? "";
    const own = parent === root ? path : path.slice(parent.path.length);
    const gpuNs = read.get(row, "Total GPU Time (ns)") ?? 0;
    parent.children.push({
      id: read.get(row, "Op ID") ?? path,
      kind: "op",
      name: direction === "" ? own : `${own} (${direction})`,
      path,
      level: parent.level + 1,
      measures: {
        calls: read.get(row, "No. Calls") ?? 0,
        tcEligible: Number(read.get(row, "TC Eligible") ?? false),
        usingTc: Number(read.get(row, "Using TC") ?? false),
        cpuNs: read.get(row, "Total CPU Time (ns)") ?? 0,
        gpuNs,
        forwardNs: direction === "fprop" ? gpuNs : 0,
        backwardNs: direction === "bprop" ? gpuNs : 0,
        optimizerNs: direction === "optimizer" ? gpuNs : 0,
        overheadNs: read.get(row, "Total CPU Overhead (ns)") ?? 0,
        idleNs: read.get(row, "Total GPU Idle (ns)") ?? 0,
      },
      children: [],
    });
  }
}

/** The group with the longest path that is a prefix of this one. */
function parentOf(path: string, nodes: ReadonlyMap<string, TreeNode>, root: TreeNode): TreeNode {
  for (let slash = path.lastIndexOf("/"); slash > 0; slash = path.lastIndexOf("/", slash - 1)) {
    const found = nodes.get(path.slice(0, slash + 1));
    if (found) return found;
  }
  return root;
}

function sortChildren(node: TreeNode): void {
  node.children.sort(
    (a, b) => b.measures.gpuNs - a.measures.gpuNs || b.measures.cpuNs - a.measures.cpuNs,
  );
  for (const child of node.children) sortChildren(child);
}

export interface TreeRow {
  node: TreeNode;
  open: boolean;
}

/** The rows to show: children of open groups; with a search, all matches and their parents. */
export function visibleRows(
  root: TreeNode,
  isOpen: (node: TreeNode) => boolean,
  search: string,
): TreeRow[] {
  const rows: TreeRow[] = [];
  const wanted = search.toLowerCase();
  const visit = (node: TreeNode): boolean => {
    const at = rows.length;
    const open = node.children.length > 0 && (wanted !== "" || isOpen(node));
    rows.push({ node, open });
    let found = wanted === "" || node.path.toLowerCase().includes(wanted);
    if (open) for (const child of node.children) found = visit(child) || found;
    if (!found) rows.length = at;
    return found;
  };
  visit(root);
  return rows;
}

export function allGroups(root: TreeNode): string[] {
  const ids: string[] = [];
  const visit = (node: TreeNode) => {
    if (node.kind === "group") ids.push(node.id);
    node.children.forEach(visit);
  };
  visit(root);
  return ids;
}
