import type { ReportAnswer } from "../base/api";
import { type ColumnOf, rowReader } from "../base/reports";
import { TIME_NAMES, type TimeId } from "../base/time_names";
import type { Bar, BarSeries } from "./stacked_bars";

interface StepSeries extends BarSeries {
  id: TimeId;
  column: ColumnOf<"steps">;
}

const series = (id: TimeId, column: ColumnOf<"steps">): StepSeries => ({
  id,
  name: TIME_NAMES[id],
  column,
});

/** The columns of report `steps` that sum to an iteration's window, on a GPU and on the host. */
export const STEP_SERIES: readonly StepSeries[] = [
  series("tensor_cores", "Tensor Core Kernels (ns)"),
  series("other_kernels", "Other Kernels (ns)"),
  series("communication", "Exposed Communication (ns)"),
  series("memory", "Exposed Copies (ns)"),
  series("gap_data", "Waiting For Data (ns)"),
  series("gap_sync", "Host Synchronization (ns)"),
  series("gap_allocation", "Allocation (ns)"),
  series("gap_host_work", "Host Work Before The Launch (ns)"),
  series("gap_launch_latency", "Launch Latency (ns)"),
  series("gap_dependency", "Dependency (ns)"),
  series("gap_other_rank", "Waiting For Another Rank (ns)"),
  series("gap_unknown", "Unknown (ns)"),
  series("host_data_loading", "Data Loading (ns)"),
  series("host_recording", "Recording Cost (ns)"),
  series("host_io", "I/O (ns)"),
  series("host_launches", "Launches (ns)"),
  series("host_copies", "Copy Calls (ns)"),
  series("host_allocation", "Allocation Calls (ns)"),
  series("host_other_calls", "Other CUDA Calls (ns)"),
  series("host_ops", "Ops And Python (ns)"),
  series("host_waiting", "Waiting For The GPU (ns)"),
  series("host_other", "Nothing Recorded (ns)"),
];

/** One bar per iteration; with several GPUs, the average. */
export function barsOf(answer: ReportAnswer): Bar[] {
  const read = rowReader("steps", answer);
  const groups = new Map<number, { bar: Bar; rows: number }>();
  for (const row of answer.rows) {
    const index = read.get(row, "Iteration") ?? 0;
    // Rows of a GPU have the GPU's view, others the host's.
    const gpu = read.get(row, "GPU") !== null;
    const values = STEP_SERIES.map(({ id, column }) =>
      id.startsWith("host_") === gpu ? 0 : Number(read.get(row, column) ?? 0),
    );
    const total = read.get(row, "Window (ns)") ?? values.reduce((sum, v) => sum + v, 0);
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
