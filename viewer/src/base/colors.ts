import type { Theme } from "./theme";

/**
 * The colors of things that take time, the same in every panel: dark green = kernels that use Tensor
 * Cores, light green = other kernels, blue = memory, purple = communication, dark orange = CPU, orange =
 * I/O, light orange = data loading, pink = other, gray = outside the analyzed steps.
 */
export const RESOURCES = [
  "tensor_cores",
  "other_kernels",
  "communication",
  "memory",
  "data_loading",
  "io",
  "cpu",
  "other",
] as const;
export type ResourceId = (typeof RESOURCES)[number];

export const IDLE_CAUSES = [
  "data",
  "sync",
  "allocation",
  "host_work",
  "launch_latency",
  "dependency",
  "other_rank",
  "unknown",
] as const;
export type IdleCauseId = (typeof IDLE_CAUSES)[number];

/** Categories of the timeline, by the names of docs/api.md. */
export type CategoryId =
  | ResourceId
  | "annotation"
  | "module"
  | "python"
  | "api"
  | "sync"
  | "overhead"
  | "iteration"
  | "outside"
  | `gap_${IdleCauseId}`;

type Pair = readonly [light: string, dark: string];

const RESOURCE_COLORS: Record<ResourceId, Pair> = {
  tensor_cores: ["#17703d", "#2f9a5b"],
  other_kernels: ["#85cc92", "#9bdba6"],
  communication: ["#8254c8", "#a684ea"],
  memory: ["#3a7fd5", "#5b9ff0"],
  data_loading: ["#fac681", "#fbd39c"],
  io: ["#f09021", "#f5a244"],
  cpu: ["#c0550c", "#d4691f"],
  other: ["#e38fb3", "#eaa2c2"],
};

const IDLE_COLORS: Record<IdleCauseId, Pair> = {
  data: RESOURCE_COLORS.data_loading,
  sync: ["#b3384a", "#dd6673"],
  allocation: ["#4a90a8", "#6bb1c9"],
  host_work: RESOURCE_COLORS.cpu,
  launch_latency: ["#dcb43a", "#e5c65f"],
  dependency: ["#7d7ac2", "#9d9ae0"],
  other_rank: ["#9a4f9e", "#c07fc4"],
  unknown: ["#a7adb8", "#6d7482"],
};

const OTHER_COLORS = {
  annotation: ["#53708f", "#7f9cbd"],
  module: ["#8a93c4", "#8f99cf"],
  python: ["#c9b458", "#b9a650"],
  api: ["#3f9e98", "#56b5ae"],
  sync: IDLE_COLORS.sync,
  overhead: ["#a08a78", "#a38f7e"],
  iteration: ["#6b7f99", "#7489a5"],
  outside: ["#bcc2cb", "#575e6b"],
} satisfies Record<string, Pair>;

function pick(pair: Pair, theme: Theme): string {
  return theme === "dark" ? pair[1] : pair[0];
}

export function resourceColor(id: string, theme: Theme): string {
  const pair = RESOURCE_COLORS[id as ResourceId];
  return pick(pair ?? RESOURCE_COLORS.other, theme);
}

export function idleColor(id: string, theme: Theme): string {
  return pick(IDLE_COLORS[id as IdleCauseId] ?? IDLE_COLORS.unknown, theme);
}

/** Colors for what launching threads do, by the ids of the API without "host_". */
const HOST_COLORS: Record<string, Pair> = {
  data_loading: RESOURCE_COLORS.data_loading,
  recording: OTHER_COLORS.overhead,
  io: RESOURCE_COLORS.io,
  launches: IDLE_COLORS.launch_latency,
  copies: RESOURCE_COLORS.memory,
  allocation: IDLE_COLORS.allocation,
  other_calls: OTHER_COLORS.api,
  ops: RESOURCE_COLORS.cpu,
  waiting: IDLE_COLORS.sync,
  other: RESOURCE_COLORS.other,
};

/** The color of a timeline event or a part of the time; unknown ones look like "other". */
export function categoryColor(id: string, theme: Theme): string {
  if (id.startsWith("gap_")) return idleColor(id.slice(4), theme);
  if (id.startsWith("host_")) return pick(HOST_COLORS[id.slice(5)] ?? RESOURCE_COLORS.other, theme);
  const pair = OTHER_COLORS[id as keyof typeof OTHER_COLORS];
  return pair ? pick(pair, theme) : resourceColor(id, theme);
}

/** For parts of charts that do not represent resources. */
export function outsideColor(theme: Theme): string {
  return pick(OTHER_COLORS.outside, theme);
}

function channel(value: number): number {
  const share = value / 255;
  return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
}

/** WCAG's relative luminance of `#rrggbb`. */
export function luminance(color: string): number {
  const value = Number.parseInt(color.slice(1), 16);
  return (
    0.2126 * channel((value >> 16) & 255) +
    0.7152 * channel((value >> 8) & 255) +
    0.0722 * channel(value & 255)
  );
}

export function contrast(a: string, b: string): number {
  const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y) as [number, number];
  return (high + 0.05) / (low + 0.05);
}

/** Black or white, whichever is easier to read on this color. */
export function textOn(color: string): "#101418" | "#ffffff" {
  return contrast(color, "#101418") >= contrast(color, "#ffffff") ? "#101418" : "#ffffff";
}
