import { useMemo, useRef } from "react";
import { categoryColor, outsideColor } from "../base/colors";
import { useTheme } from "../base/theme";
import { formatDuration, formatPercent } from "../base/units";
import { axisTop } from "./axis_top";
import {
  Chart,
  chartColors,
  chartTooltip,
  type EChartsCoreOption,
  type EChartsType,
  escapeHtml,
} from "./chart";

export interface Bar {
  /** The number of the iteration. */
  index: number;
  total: number;
  /** Times in the order of the series. */
  values: readonly number[];
  /** Not among the analyzed steps: drawn completely gray. */
  outside: boolean;
}

export interface BarSeries {
  id: string;
  name: string;
}

export interface StackedBarsProps {
  label: string;
  bars: readonly Bar[];
  series: readonly BarSeries[];
  hidden?: ReadonlySet<string>;
  height: number;
  /** Wheel zooms, dragging pans. */
  zoom?: boolean;
  tooltip?: boolean;
  onReady?: (chart: EChartsType) => void;
  children?: React.ReactNode;
}

export const BAR_GRID = { left: 64, right: 12, top: 12, bottom: 40 };

/** Up to this number, there is room for the duration above each bar. */
const FEW_BARS = 8;

/** A stacked bar per iteration. */
export function StackedBars(props: StackedBarsProps) {
  const { bars, series, hidden, zoom = false, tooltip = true } = props;
  const theme = useTheme();
  const latest = useRef(bars);
  latest.current = bars;
  const option = useMemo((): EChartsCoreOption => {
    const colors = chartColors();
    const shown = series.filter((entry) => !hidden?.has(entry.id));
    const top = axisTop(bars);
    const stack = {
      type: "bar",
      stack: "time",
      barCategoryGap: "22%",
      barMaxWidth: 72,
      silent: false,
    };
    return {
      animation: false,
      grid: BAR_GRID,
      tooltip: {
        ...chartTooltip(colors),
        show: tooltip,
        trigger: "axis",
        axisPointer: { type: "shadow", shadowStyle: { color: colors.track, opacity: 0.5 } },
        formatter: (items: unknown) => tooltipHtml(items, latest.current, series, theme),
      },
      dataZoom: zoom
        ? [
            {
              type: "inside",
              zoomOnMouseWheel: true,
              moveOnMouseMove: true,
              moveOnMouseWheel: false,
            },
          ]
        : [],
      xAxis: {
        type: "category",
        data: bars.map((bar) => String(bar.index)),
        name: "Iteration",
        nameLocation: "middle",
        nameGap: 24,
        nameTextStyle: { color: colors.muted, fontSize: 11 },
        axisLine: { lineStyle: { color: colors.line } },
        axisTick: { show: false },
        axisLabel: { color: colors.muted, fontSize: 11, hideOverlap: true },
      },
      yAxis: {
        type: "value",
        splitNumber: 4,
        max: top,
        splitLine: { lineStyle: { color: colors.line } },
        axisLabel: {
          color: colors.muted,
          fontSize: 11,
          formatter: formatDuration,
          showMaxLabel: top === undefined, // it would overlap the last round one
        },
      },
      series: [
        ...shown.map((entry) => {
          const at = series.indexOf(entry);
          return {
            ...stack,
            name: entry.name,
            itemStyle: { color: categoryColor(entry.id, theme) },
            data: bars.map((bar) => (bar.outside ? 0 : (bar.values[at] ?? 0))),
          };
        }),
        {
          ...stack,
          name: "outside the range",
          itemStyle: { color: outsideColor(theme) },
          data: bars.map((bar) => {
            if (!bar.outside) return 0;
            if (top === undefined || bar.total <= top) return bar.total;
            // Narrow bars have no room for more; the tooltip shows the rest.
            const formatter = bars.length > FEW_BARS ? "↑" : `${formatDuration(bar.total)} ↑`;
            const label = { show: true, position: "insideTop", color: colors.text, formatter };
            return { value: top, label };
          }),
        },
      ],
    };
  }, [bars, series, hidden, zoom, tooltip, theme]);

  return (
    <Chart label={props.label} height={props.height} option={option} onReady={props.onReady}>
      {props.children}
    </Chart>
  );
}

function tooltipHtml(
  items: unknown,
  bars: readonly Bar[],
  series: readonly BarSeries[],
  theme: "light" | "dark",
): string {
  const first = Array.isArray(items) ? (items[0] as { dataIndex?: number } | undefined) : undefined;
  const bar = bars[first?.dataIndex ?? -1];
  if (bar === undefined) return "";
  const lines = series
    .map((entry, i) => ({ entry, ns: bar.values[i] ?? 0 }))
    .filter((line) => line.ns > 0)
    .map(
      ({ entry, ns }) =>
        `<i style="background:${categoryColor(entry.id, theme)}"></i><span>${escapeHtml(entry.name)}</span>` +
        `<span>${formatDuration(ns)}</span><span>${formatPercent((100 * ns) / bar.total)}</span>`,
    );
  const outside = bar.outside ? ", outside the range" : "";
  return `<div class="chart-tip"><b>Iteration ${bar.index}${outside}: ${formatDuration(bar.total)}</b>${lines.join("")}</div>`;
}
