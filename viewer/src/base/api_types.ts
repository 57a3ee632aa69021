/** Responses of the server, described in docs/api.md. Times are nanoseconds. */

export interface ProfileEntry {
  id: string;
  name: string;
  path: string;
  state: "loading" | "ready" | "failed";
  phase: string;
  done: number;
  total: number;
  code: string;
  error: string;
  /** Whether its path now leads to another file, or to none. */
  changed: boolean;
}

export interface ProfileList {
  version: string;
  profiles: ProfileEntry[];
}

export interface ProfileInfo {
  id: string;
  name: string;
  path: string;
  stamp: string;
  trace_ns: number;
  events: number;
  format: string;
  gpus: number;
  started: string | null;
  sql: boolean;
}

export interface Aggregation {
  id: string;
  state: "computing" | "ready" | "failed";
  phase: string;
  done: number;
  total: number;
  code: string;
  error: string;
  start: number;
  stop: number;
  iterations: number;
  key_op: string;
  source: string;
  batch_size: number | null;
  explanation: string;
}

export interface KeyOps {
  ops: { name: string; calls: number }[];
  total: number;
}

export type ColumnType = "text" | "integer" | "real" | "duration" | "bytes" | "percent" | "boolean";

export interface Column {
  name: string;
  type: ColumnType;
  unit?: string;
  doc?: string;
}

export type Cell = string | number | boolean | null;

/** The place of a row on the timeline: an event or an interval. */
export type RowLink = { event: string } | { start: number; end: number };

export interface ReportInfo {
  id: string;
  title: string;
  description: string;
  columns: Column[];
}

export interface ReportAnswer {
  report: string;
  title: string;
  columns: Column[];
  total: number;
  filtered: number;
  offset: number;
  rows: Cell[][];
  links: (RowLink | null)[];
  notes: string[];
}

export interface NamedShare {
  id: string;
  name: string;
  ns: number;
  percent: number | null;
}

/** Null if no GPU work was recorded. */
export interface KernelSum {
  gpu_ns: number | null;
  count: number | null;
}

/**
 * All ops of one type and direction; `op_id`, `name` and `event` are those of the largest one. If
 * no GPU work was recorded, `gpu_ns` is null, and ranks and shares refer to CPU time.
 */
export interface TopOp {
  op_id: string;
  name: string;
  direction: string;
  type: string;
  ops: number;
  calls: number;
  gpu_ns: number | null;
  cpu_ns: number;
  share_percent: number | null;
  tc_eligible: boolean;
  /** Null if unknown. */
  uses_tc: boolean | null;
  event: string | null;
}

export interface SummaryItem {
  id: string;
  name: string;
  value: number | string | null;
  unit: string;
  doc: string;
}

export interface AdviceSummary {
  rule: string;
  problem: string;
  recommendation: string;
  speedup: number | null;
  predicted_step_ns: number | null;
  saving_ns: number | null;
  confidence: Confidence;
  event: string | null;
}

export interface TrustLimit {
  code: string;
  serious: boolean;
  text: string;
}

export interface Guidance {
  text: string;
  view: string;
  query: Record<string, string>;
}

export interface Dashboard {
  profile_name: string;
  device: string;
  gpus: number;
  step: {
    average_ns: number | null;
    deviation_ns: number | null;
    /** Without the profiler: the baseline of predictions. */
    unprofiled_ns: number | null;
    samples_per_second: number | null;
    batch_size: number | null;
    /** As measured in stretches that were not recorded; null if the recording has none. */
    clean: {
      step_ns: number | null;
      low_ns: number | null;
      high_ns: number | null;
      steps: number;
      recorded_step_ns: number | null;
      recording_added_ns: number | null;
      text: string;
    } | null;
  };
  verdict: { id: string; group: string; headline: string; reason: string };
  trust: { sentence: string; limits: TrustLimit[] };
  gpu_utilization: {
    percent: number | null;
    with_copies_percent: number | null;
    gpus: { gpu: string; name: string; percent: number | null }[];
  };
  resources: NamedShare[];
  idle: {
    ns: number | null;
    percent: number | null;
    causes: (Omit<NamedShare, "ns"> & { ns: number | null })[];
  };
  kernels: { all: KernelSum; tensor_cores: KernelSum; memory: KernelSum; other: KernelSum };
  tensor_cores: {
    percent: number | null;
    eligible_ns: number | null;
    eligible_on_tensor_cores_ns: number | null;
    unknown_ns: number | null;
  };
  summary: SummaryItem[];
  iterations: {
    total: number;
    first: number;
    last: number;
    source: string;
    explanation: string;
    key_op: string;
  };
  top_ops: TopOp[];
  system: { name: string; value: string }[];
  advice: AdviceSummary[];
  advice_total: number;
  guidance: Guidance[];
}

export type Confidence = "high" | "medium" | "low";

export interface Evidence {
  text: string;
  time_ns_per_step: number | null;
  count_per_step: number | null;
  name: string | null;
  start_ns: number | null;
  end_ns: number | null;
  event?: string | null;
}

export interface Finding {
  rule: string;
  problem: string;
  recommendation: string;
  predicted_step_ns: number | null;
  predicted_speedup: number | null;
  predicted_low: number | null;
  predicted_high: number | null;
  saving_ns: number | null;
  confidence: Confidence;
  evidence: Evidence[];
  assumes: string;
  predicts: boolean;
  combined: boolean;
  documentation: string;
}

export interface Advice {
  step_ns: number | null;
  replay_step_ns: number | null;
  unprofiled_step_ns: number | null;
  findings: Finding[];
  skipped: { rule: string; because: string }[];
  combined_step_ns: number | null;
  combined_speedup: number | null;
}

export interface RooflinePoint {
  op_id: string;
  name: string;
  direction: string;
  family: string;
  format: string;
  gpu_ns: number;
  intensity: number | null;
  tflops: number | null;
  compute_percent: number | null;
  memory_percent: number | null;
  limit: string;
  event: string | null;
}

export interface Roofline {
  device: string;
  note: string;
  bandwidth_gbps: number | null;
  ceilings: { format: string; tflops: number }[];
  points: RooflinePoint[];
}

export interface SqlAnswer {
  columns: { name: string; type: string; kind: string }[];
  rows: Cell[][];
  truncated: boolean;
  elapsed_ms: number;
}

export interface Timeline {
  stamp: string;
  end: number;
  span: number;
  max_level: number;
  range: { start: number; end: number };
  groups: { id: number; kind: string; title: string; detail: string }[];
  lanes: Lane[];
  categories: string[];
}

export interface Lane {
  id: number;
  group: number | null;
  kind: "iterations" | "utilization" | "queue" | "gaps" | "stream" | "thread";
  title: string;
  rows: number;
  events: number;
  max?: number;
}

export interface EventLink {
  role: string;
  event: string;
  name: string;
  start: number;
  duration: number;
  lane: number;
  depth: number;
}

export interface EventDetails {
  event: string;
  kind: string;
  category: string;
  name: string;
  full_name: string;
  start: number;
  duration: number;
  lane: number;
  depth: number;
  iteration: number | null;
  fields: { name: string; value: string }[];
  stack: string[];
  links: EventLink[];
  links_total: number;
  same_name: { count: number; previous: string | null; next: string | null };
}

export interface EventMatch {
  event: string;
  name: string;
  start: number;
  duration: number;
  lane: number;
  depth: number;
  category: string;
}

export interface SearchAnswer {
  total: number;
  before: number;
  matches: EventMatch[];
}

export interface SelectionSum {
  start: number;
  end: number;
  gpus: number;
  resources: NamedShare[];
  idle: { ns: number; percent: number | null; causes: NamedShare[] };
  kernels: { count: number; gpu_ns: number; top: NamedSum[] };
  ops: { count: number; top: NamedSum[] };
  api: { count: number; top: NamedSum[] };
}

export interface NamedSum {
  name: string;
  count: number;
  gpu_ns?: number;
  cpu_ns?: number;
  event: string | null;
}

export interface Gap {
  event: string;
  start: number;
  duration: number;
  lane: number;
  cause: string;
  op: string | null;
}
