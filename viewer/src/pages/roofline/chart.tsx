import { useMemo, useRef } from "react";
import type { Roofline, RooflinePoint } from "../../base/api";
import { categoryColor, resourceColor } from "../../base/colors";
import { setParams, useParam } from "../../base/route";
import { type Theme, useTheme } from "../../base/theme";
import { formatDuration, formatPercent, formatReal } from "../../base/units";
import {
  Chart,
  chartColors,
  chartTooltip,
  type EChartsCoreOption,
  type EChartsType,
  escapeHtml,
} from "../../widgets/chart";

const HEIGHT = 400;
const MIN_SIZE = 7;
const MAX_SIZE = 44;

/** Ops below this only move data. Drawing them would compress all others into a corner. */
const MIN_INTENSITY = 0.01;
const MIN_TFLOPS = 0.001;

export function drawable(point: RooflinePoint): boolean {
  return (point.intensity ?? 0) >= MIN_INTENSITY && (point.tflops ?? 0) >= MIN_TFLOPS;
}

function limitColor(limit: string, theme: Theme): string {
  if (limit === "compute") return resourceColor("tensor_cores", theme);
  if (limit === "memory") return resourceColor("memory", theme);
  if (limit === "latency") return resourceColor("io", theme);
  return categoryColor("outside", theme);
}

const LIMITS = [
  { id: "compute", name: "limited by compute" },
  { id: "memory", name: "limited by memory" },
  { id: "latency", name: "limited by latency" },
];

export function RooflineChart({ data }: { data: Roofline }) {
  const theme = useTheme();
  const [selected] = useParam("r.sel");
  const points = useMemo(() => data.points.filter(drawable), [data]);
  const latest = useRef(points);
  latest.current = points;
  const option = useMemo(
    () => chartOption(data, points, selected, theme),
    [data, points, selected, theme],
  );
  const onReady = (chart: EChartsType) => {
    chart.on("click", (event) => {
      const point = event.seriesId === "ops" ? latest.current[event.dataIndex] : undefined;
      if (point) setParams({ "r.sel": point.op_id, tab: null }, "push");
    });
  };
  return (
    <>
      <Chart
        label={`Roofline of ${points.length} ops; the table below has the numbers`}
        height={HEIGHT}
        option={option}
        onReady={onReady}
      />
      <ul className="roofline-legend">
        {LIMITS.map((limit) => (
          <li key={limit.id}>
            <span className="dot" style={{ background: limitColor(limit.id, theme) }} />
            {limit.name}
          </li>
        ))}
        <li className="muted">Size: GPU time</li>
      </ul>
    </>
  );
}

interface Extent {
  x: [number, number];
  y: [number, number];
}

/** Powers of ten around the points and the ridges. */
function extentOf(
  data: Roofline,
  ceilings: readonly Ceiling[],
  points: readonly RooflinePoint[],
): Extent {
  const xs = points.map((p) => p.intensity ?? 1);
  const ys = points.map((p) => p.tflops ?? 1);
  const bandwidth = (data.bandwidth_gbps ?? 0) / 1000;
  for (const ceiling of ceilings) {
    ys.push(ceiling.tflops);
    if (bandwidth > 0) xs.push((ceiling.tflops / bandwidth) * 2);
  }
  const down = (v: number) => 10 ** Math.floor(Math.log10(v));
  const up = (v: number) => 10 ** Math.ceil(Math.log10(v));
  return {
    x: [down(Math.min(...xs)), up(Math.max(...xs))],
    y: [down(Math.min(...ys)), Math.max(...ys) * 2],
  };
}

function chartOption(
  data: Roofline,
  points: readonly RooflinePoint[],
  selected: string,
  theme: Theme,
): EChartsCoreOption {
  const colors = chartColors();
  const ceilings = ceilingsOf(data, points);
  const extent = extentOf(data, ceilings, points);
  const largest = Math.max(...points.map((p) => p.gpu_ns));
  const axis = {
    type: "log",
    logBase: 10,
    nameLocation: "middle",
    nameTextStyle: { color: colors.muted, fontSize: 12 },
    axisLine: { lineStyle: { color: colors.line } },
    axisTick: { show: false },
    splitLine: { lineStyle: { color: colors.line } },
    axisLabel: {
      color: colors.muted,
      fontSize: 11,
      showMaxLabel: false,
      formatter: (v: number) => String(v),
    },
  };
  return {
    animation: false,
    grid: { left: 72, right: 128, top: 16, bottom: 48 },
    tooltip: {
      ...chartTooltip(colors),
      trigger: "item",
      formatter: (p: unknown) => tip(p, points),
    },
    xAxis: { ...axis, name: "FLOP per byte", nameGap: 28, min: extent.x[0], max: extent.x[1] },
    yAxis: { ...axis, name: "TFLOP/s", nameGap: 48, min: extent.y[0], max: extent.y[1] },
    series: [
      ...ceilingSeries(data, ceilings, extent, colors.muted, colors.text),
      {
        id: "ops",
        type: "scatter",
        z: 5,
        data: points.map((point) => ({
          value: [point.intensity, point.tflops],
          symbolSize: MIN_SIZE + (MAX_SIZE - MIN_SIZE) * Math.sqrt(point.gpu_ns / largest),
          itemStyle: {
            color: limitColor(point.limit, theme),
            opacity: selected === "" || point.op_id === selected ? 0.85 : 0.3,
            borderColor: point.op_id === selected ? colors.text : colors.surface,
            borderWidth: point.op_id === selected ? 2 : 1,
          },
        })),
      },
    ],
  };
}

interface Ceiling {
  tflops: number;
  formats: string[];
}

/** The ceilings of number formats that ops use; formats with the same peak share a line. */
function ceilingsOf(data: Roofline, points: readonly RooflinePoint[]): Ceiling[] {
  const used = new Set(points.map((point) => point.format));
  const wanted = data.ceilings.filter((ceiling) => used.has(ceiling.format));
  const merged = new Map<number, Ceiling>();
  for (const { tflops, format } of wanted.length > 0 ? wanted : data.ceilings) {
    const ceiling = merged.get(tflops);
    if (ceiling) ceiling.formats.push(format);
    else merged.set(tflops, { tflops, formats: [format] });
  }
  return [...merged.values()];
}

/** The slope of the memory up to the highest ridge, and a flat line per number format. */
function ceilingSeries(
  data: Roofline,
  ceilings: readonly Ceiling[],
  extent: Extent,
  muted: string,
  text: string,
): object[] {
  const bandwidth = (data.bandwidth_gbps ?? 0) / 1000;
  const line = {
    type: "line",
    silent: true,
    symbol: "none",
    z: 2,
    lineStyle: { color: muted, width: 1.5 },
  };
  const label = (value: string) => ({
    show: true,
    formatter: value,
    color: text,
    fontSize: 11,
    distance: 4,
  });
  const series: object[] = ceilings.map((ceiling) => ({
    ...line,
    id: `ceiling ${ceiling.tflops}`,
    data: [
      [
        bandwidth > 0 ? Math.max(extent.x[0], ceiling.tflops / bandwidth) : extent.x[0],
        ceiling.tflops,
      ],
      [extent.x[1], ceiling.tflops],
    ],
    endLabel: label(`${ceiling.formats.join(", ")} ${formatReal(ceiling.tflops)}`),
  }));
  const top = Math.max(0, ...ceilings.map((ceiling) => ceiling.tflops));
  if (bandwidth > 0 && top > 0) {
    const from = Math.max(extent.x[0], extent.y[0] / bandwidth);
    const middle = Math.sqrt(from * (top / bandwidth));
    series.push({
      ...line,
      id: "memory",
      data: [
        [from, from * bandwidth],
        [middle, middle * bandwidth],
        [top / bandwidth, top],
      ],
    });
    series.push({
      id: "memory label",
      type: "scatter",
      silent: true,
      symbolSize: 0,
      data: [[middle, middle * bandwidth]],
      label: {
        ...label(`memory ${formatReal(bandwidth)} TB/s`),
        position: "left",
        offset: [0, -12],
      },
    });
  }
  return series;
}

function tip(item: unknown, points: readonly RooflinePoint[]): string {
  const { seriesId, dataIndex } = item as { seriesId?: string; dataIndex?: number };
  const point = seriesId === "ops" ? points[dataIndex ?? -1] : undefined;
  if (point === undefined) return "";
  const lines: [string, string][] = [
    ["GPU time", formatDuration(point.gpu_ns)],
    ["Intensity", `${formatReal(point.intensity ?? 0)} FLOP/B`],
    ["Speed", `${formatReal(point.tflops ?? 0)} TFLOP/s in ${point.format}`],
    ["Compute", point.compute_percent === null ? "n/a" : formatPercent(point.compute_percent)],
    ["Memory", point.memory_percent === null ? "n/a" : formatPercent(point.memory_percent)],
    ["Limit", point.limit],
  ];
  const rows = lines.map(
    ([name, value]) => `<span>${name}</span><span>${escapeHtml(value)}</span>`,
  );
  return (
    `<div class="roofline-tip"><b>${escapeHtml(point.op_id)}</b>` +
    `<em>${escapeHtml(point.name)}, ${escapeHtml(point.direction)}</em>${rows.join("")}</div>`
  );
}
