import type { ReportAnswer } from "../base/api";
import type { ResourceId } from "../base/colors";
import { type ColumnOf, rowReader } from "../base/reports";
import type { Bar, BarSeries } from "./stacked_bars";

interface StepSeries extends BarSeries {
  id: ResourceId;
  column: ColumnOf<"steps">;
}

/** The columns of the `steps` report that add up to an iteration's time. */
export const STEP_SERIES: readonly StepSeries[] = [
  { id: "tensor_cores", name: "Tensor Core kernels", column: "Tensor Core Kernels (ns)" },
  { id: "other_kernels", name: "Other kernels", column: "Other Kernels (ns)" },
  { id: "communication", name: "Communication", column: "Communication (ns)" },
  { id: "memory", name: "Memory", column: "Memory (ns)" },
  { id: "data_loading", name: "Data loading", column: "Data Loading (ns)" },
  { id: "io", name: "I/O", column: "I/O (ns)" },
  { id: "cpu", name: "CPU", column: "CPU (ns)" },
  { id: "other", name: "Other", column: "Other (ns)" },
];

/** A bar per iteration; of several GPUs the average. */
export function barsOf(answer: ReportAnswer): Bar[] {
  const read = rowReader("steps", answer);
  const groups = new Map<number, { bar: Bar; rows: number }>();
  for (const row of answer.rows) {
    const index = read.get(row, "Iteration") ?? 0;
    const values = STEP_SERIES.map((series) => Number(read.get(row, series.column) ?? 0));
    const total = read.get(row, "Batch Cost (ns)") ?? values.reduce((sum, v) => sum + v, 0);
    const outside = read.get(row, "Aggregated") === false;
    const group = groups.get(index);
    if (group === undefined) {
      groups.set(index, { bar: { index, total, values, outside }, rows: 1 });
      continue;
    }
    const n = group.rows + 1;
    const mean = (old: number, value: number) => old + (value - old) / n;
    group.rows = n;
    group.bar = {
      index,
      total: mean(group.bar.total, total),
      values: group.bar.values.map((old, i) => mean(old, values[i] ?? 0)),
      outside,
    };
  }
  return [...groups.values()].map((group) => group.bar).sort((a, b) => a.index - b.index);
}
