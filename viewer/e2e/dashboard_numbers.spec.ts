import type { Dashboard } from "../src/base/api_types";
import {
  formatCount,
  formatDuration,
  formatFixed,
  formatPercent,
  formatReal,
  formatSpeedup,
} from "../src/base/units";
import { lookUp, type ShownField, shownFields } from "./support/fields";
import { expect, PROFILES, profilePath, test } from "./support/fixtures";
import { type Row, reportRows, warpsightAsync } from "./support/program";

for (const profile of PROFILES) {
  test(`numbers of ${profile} are those of the API and of the command line`, async ({ viewer }) => {
    await viewer.open(profile, "dashboard");
    const api = await viewer.api<Dashboard>(profile, "dashboard");
    const shown = await shownFields(viewer.page);
    checkAgainstApi(shown, api);
    expect(missing(shown, api)).toEqual([]);
    const file = profilePath(profile);
    const values = new Map(shown.map(({ field, value }) => [field, value]));
    checkAgainstSummary(values, api, await reportRows(file, "summary"));
    checkAgainstInfo(values, JSON.parse(await warpsightAsync("info", file, "--format", "json")));
    checkAgainstAdvice(
      values,
      JSON.parse(await warpsightAsync("advise", file, "--all", "--format", "json")),
    );
    checkAgainstOps(values, api, await reportRows(file, "detail"));
    checkTexts(shown, await warpsightAsync("report", file, "--report", "summary"));
  });
}

/** Compares the exact values, and the displayed texts, which are rounded. */
function checkAgainstApi(shown: ShownField[], api: Dashboard): void {
  expect(shown.length).toBeGreaterThan(40);
  for (const { field, value, text } of shown) {
    const expected = lookUp(api, field);
    expect(expected, `${field} is in the API`).not.toBeUndefined();
    if (typeof expected === "number") {
      expect(Number(value), field).toBeCloseTo(expected, 9);
      expect(text, field).toContain(written(field, expected, api));
    } else if (typeof expected === "boolean") {
      expect([value, text], field).toEqual([String(expected), expected ? "yes" : "no"]);
    } else {
      expect(value, field).toBe(expected ?? "");
    }
  }
}

/** The expected text on the page. */
function written(field: string, value: number, api: Dashboard): string {
  if (/percent$/.test(field)) return formatPercent(value);
  if (/_ns$|\.ns$/.test(field)) return formatDuration(value);
  if (/\.speedup$/.test(field)) return formatSpeedup(value);
  if (field === "step.samples_per_second") return formatFixed(value, 1);
  if (field.startsWith("summary.")) {
    const unit = api.summary.find((item) => field === `summary.${item.id}.value`)?.unit;
    if (unit === "ns") return formatDuration(value);
    if (unit === "%") return formatPercent(value);
    if (!Number.isInteger(value)) return formatReal(value);
  }
  return formatCount(value);
}

/** Numbers in the API's response that the dashboard should show but does not. */
function missing(shown: ShownField[], api: Dashboard): string[] {
  const wanted: string[] = [];
  const want = (field: string, value: unknown) => {
    if (value !== null) wanted.push(field);
  };
  for (const name of ["average_ns", "deviation_ns", "samples_per_second", "batch_size"] as const)
    want(`step.${name}`, api.step[name]);
  want("gpu_utilization.percent", api.gpu_utilization.percent);
  want("gpu_utilization.with_copies_percent", api.gpu_utilization.with_copies_percent);
  want("idle.percent", api.idle.percent);
  for (const { id, ns } of api.resources)
    if (ns > 0) wanted.push(`resources.${id}.ns`, `resources.${id}.percent`);
  for (const { id, ns } of api.idle.causes)
    if ((ns ?? 0) > 0) wanted.push(`idle.causes.${id}.ns`, `idle.causes.${id}.percent`);
  for (const kind of ["all", "tensor_cores", "memory", "other"])
    wanted.push(`kernels.${kind}.gpu_ns`, `kernels.${kind}.count`);
  want("tensor_cores.percent", api.tensor_cores.percent);
  for (const { id } of api.summary) wanted.push(`summary.${id}.value`);
  wanted.push("iterations.total", "iterations.first", "iterations.last", "advice_total");
  for (const { op_id } of api.top_ops)
    for (const name of ["gpu_ns", "share_percent", "ops", "calls", "tc_eligible", "uses_tc"])
      wanted.push(`top_ops.${op_id}.${name}`);
  for (const finding of api.advice) {
    wanted.push(`advice.${finding.rule}.speedup`);
    if ((finding.saving_ns ?? 0) > 0) wanted.push(`advice.${finding.rule}.saving_ns`);
  }
  for (const { name } of api.system) wanted.push(`system.${name}.value`);
  const there = new Set(shown.map(({ field }) => field));
  return wanted.filter((field) => !there.has(field));
}

const SUMMARY: Record<string, string> = {
  wall_clock: "Time/Wall Clock Time",
  tensor_core_efficiency: "Time/Tensor Core Kernel Efficiency",
  gpu_utilization: "Time/GPU Utilization",
  total_iterations: "Iterations/Total Iterations",
  profiled_iterations: "Iterations/Aggregated Iterations",
  start_iteration: "Iterations/Start Iteration",
  stop_iteration: "Iterations/Stop Iteration",
  average_iteration: "Iterations/Average Iteration Time",
};
const KERNELS: Record<string, string> = {
  all: "All kernels",
  tensor_cores: "Kernels using TC",
  memory: "Memory",
  other: "All other kernels",
};

function checkAgainstSummary(values: Map<string, string>, api: Dashboard, rows: Row[]): void {
  const cli = new Map(rows.map((row) => [`${row.Section}/${row.Name}`, row.Value]));
  const same = (field: string, name: string) => {
    expect(cli.has(name), `the command line has ${name}`).toBe(true);
    const [here, there] = [numberOf(values.get(field)), numberOf(cli.get(name))];
    if (here === null || there === null) expect(here, `${field} is ${name}`).toBe(there);
    else expect(here, `${field} is ${name}`).toBeCloseTo(there, 9);
  };
  for (const [id, name] of Object.entries(SUMMARY)) same(`summary.${id}.value`, name);
  for (const { id, name, ns } of api.resources) {
    if (ns === 0) continue;
    same(`resources.${id}.percent`, `Resource Breakdown/${name}`);
    same(`resources.${id}.ns`, `Resource Breakdown, All GPUs/${name}`);
  }
  for (const { id, name, ns } of api.idle.causes)
    if ((ns ?? 0) > 0) same(`idle.causes.${id}.percent`, `Resource Breakdown/${name}`);
  for (const [id, name] of Object.entries(KERNELS)) {
    same(`kernels.${id}.gpu_ns`, `All Kernels/${name}: GPU Time`);
    same(`kernels.${id}.count`, `All Kernels/${name}: Runs`);
  }
  same("step.deviation_ns", "Iterations/Iteration Time Standard Deviation");
  same("step.average_ns", "Iterations/Average Iteration Time");
  same("gpu_utilization.percent", "Time/GPU Utilization");
  same("gpu_utilization.with_copies_percent", "Time/GPU Utilization With Copies");
  for (const row of rows.filter((row) => row.Section === "System Configuration"))
    expect(values.get(`system.${row.Name}.value`), String(row.Name)).toBe(String(row.Value));
}

interface Info {
  wall_ns: number;
  average_iteration_ns: number;
  gpu_utilization: number;
  iterations: number;
  first_iteration: number;
  last_iteration: number;
  breakdown_ns: Record<string, number>;
  idle_ns: Record<string, number>;
}

function checkAgainstInfo(values: Map<string, string>, info: Info): void {
  expect(numberOf(values.get("summary.wall_clock.value"))).toBe(info.wall_ns);
  expect(numberOf(values.get("step.average_ns"))).toBe(info.average_iteration_ns);
  expect(numberOf(values.get("gpu_utilization.percent"))).toBeCloseTo(
    100 * info.gpu_utilization,
    3,
  );
  expect(numberOf(values.get("iterations.total"))).toBe(info.iterations);
  expect(numberOf(values.get("iterations.first"))).toBe(info.first_iteration);
  expect(numberOf(values.get("iterations.last"))).toBe(info.last_iteration);
  const sums = (prefix: string) =>
    [...values].filter(([field]) => field.startsWith(prefix) && field.endsWith(".ns"));
  for (const [prefix, expected] of [
    ["resources.", info.breakdown_ns],
    ["idle.causes.", info.idle_ns],
  ] as const) {
    const shown = sums(prefix).map(([, value]) => Number(value));
    expect(shown, prefix).toEqual(Object.values(expected).filter((ns) => ns > 0));
  }
}

interface AdviceJson {
  findings: { rule: string; predicted_speedup: number | null; predicts: boolean }[];
}

function checkAgainstAdvice(values: Map<string, string>, advice: AdviceJson): void {
  expect(numberOf(values.get("advice_total"))).toBe(advice.findings.length);
  for (const { rule, predicts, predicted_speedup } of advice.findings) {
    const shown = values.get(`advice.${rule}.speedup`);
    if (shown === undefined) continue;
    // The command line prints four decimals.
    if (predicts) expect(numberOf(shown), rule).toBeCloseTo(predicted_speedup ?? 0, 4);
    else expect(shown, rule).toBe("");
  }
}

/** The ten op types, by direction, with the most GPU time. */
function checkAgainstOps(values: Map<string, string>, api: Dashboard, rows: Row[]): void {
  const kinds = new Map<string, Row[]>();
  const kindOf = (type: unknown, direction: unknown) => `${String(type)}/${String(direction)}`;
  for (const row of rows) {
    const kind = kindOf(row["Op Type"], row.Direction);
    kinds.set(kind, [...(kinds.get(kind) ?? []), row]);
  }
  const sum = (of: Row[], column: string) =>
    of.reduce((total, row) => total + Number(row[column]), 0);
  const times = [...kinds.values()].map((of) => sum(of, "Total GPU Time (ns)"));
  times.sort((a, b) => b - a);
  expect(api.top_ops.map((op) => op.gpu_ns)).toEqual(times.filter((ns) => ns > 0).slice(0, 10));
  for (const { op_id, uses_tc } of api.top_ops) {
    const largest = rows.find((candidate) => candidate["Op ID"] === op_id);
    const of = kinds.get(kindOf(largest?.["Op Type"], largest?.Direction)) ?? [];
    const any = (column: string) => String(of.some((row) => String(row[column]) === "true"));
    expect(numberOf(values.get(`top_ops.${op_id}.gpu_ns`)), op_id).toBe(
      sum(of, "Total GPU Time (ns)"),
    );
    expect(numberOf(values.get(`top_ops.${op_id}.ops`)), op_id).toBe(of.length);
    expect(numberOf(values.get(`top_ops.${op_id}.calls`)), op_id).toBe(sum(of, "No. Calls"));
    const known = uses_tc !== null;
    expect(values.get(`top_ops.${op_id}.uses_tc`), op_id).toBe(known ? any("Using TC") : "");
    expect(values.get(`top_ops.${op_id}.tc_eligible`), op_id).toBe(any("TC Eligible"));
  }
}

/** Texts are rounded and have units like those of the command line. */
function checkTexts(shown: ShownField[], summary: string): void {
  const lines = new Map(
    [...summary.matchAll(/^ {2}(\S.*?) {2,}(\S.*)$/gm)].map((match) => [match[1], match[2]]),
  );
  for (const [id, name] of Object.entries(SUMMARY)) {
    const label = name.replace(/^.*\//, "");
    // A name as wide as its column is separated from the value by only one blank.
    if (!lines.has(label)) continue;
    const text = shown.find(({ field }) => field === `summary.${id}.value`)?.text;
    expect(text, label).toBe(lines.get(label));
  }
}

function numberOf(value: string | number | boolean | null | undefined): number | null {
  return value === null || value === undefined || value === "" ? null : Number(value);
}
