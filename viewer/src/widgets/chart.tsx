import { type ReactNode, useEffect, useRef, useState } from "react";
import { busy } from "../base/idle";
import type { EChartsCoreOption, EChartsType } from "./echarts";
import "./chart.css";

export type { EChartsCoreOption, EChartsType };

export interface ChartProps {
  /** A description of the chart's content. */
  label: string;
  height: number;
  option: EChartsCoreOption;
  /** Called once, after the chart was drawn for the first time. */
  onReady?: (chart: EChartsType) => void;
  /** Drawn above the chart. */
  children?: ReactNode;
}

/** An ECharts chart. Callers also show the values as text or table. */
export function Chart({ label, height, option, onReady, children }: ChartProps) {
  const box = useRef<HTMLDivElement>(null);
  const chart = useRef<EChartsType | null>(null);
  const [ready, setReady] = useState(false);
  const announce = useRef(onReady);

  useEffect(() => {
    const done = busy();
    let gone = false;
    let resize: ResizeObserver | null = null;
    void import("./echarts").then(({ init }) => {
      const element = box.current;
      if (gone || element === null) return done();
      const made = init(element, undefined, { renderer: "canvas" });
      chart.current = made;
      resize = new ResizeObserver(() => made.resize());
      resize.observe(element);
      setReady(true);
      done();
    });
    return () => {
      gone = true;
      done();
      resize?.disconnect();
      chart.current?.dispose();
      chart.current = null;
    };
  }, []);

  useEffect(() => {
    if (!ready || chart.current === null) return;
    chart.current.setOption(option, { replaceMerge: ["series", "dataZoom"] });
    announce.current?.(chart.current);
    announce.current = undefined;
  }, [option, ready]);

  return (
    <div className="chart" style={{ height }}>
      <div className="chart-canvas" ref={box} role="img" aria-label={label} />
      {children}
    </div>
  );
}

export interface ChartColors {
  text: string;
  muted: string;
  line: string;
  surface: string;
  track: string;
}

/** The theme's colors, for canvases, which do not support CSS variables. */
export function chartColors(): ChartColors {
  const style = getComputedStyle(document.documentElement);
  const get = (name: string) => style.getPropertyValue(name).trim();
  return {
    text: get("--text"),
    muted: get("--text-2"),
    line: get("--border"),
    surface: get("--surface"),
    track: get("--track"),
  };
}

/** The style of a tooltip drawn by ECharts. */
export function chartTooltip(colors: ChartColors): EChartsCoreOption {
  return {
    backgroundColor: colors.surface,
    borderColor: colors.line,
    padding: [8, 12],
    textStyle: { color: colors.text, fontSize: 12 },
    extraCssText:
      "box-shadow: var(--shadow); border-radius: 8px; font-variant-numeric: tabular-nums;",
    confine: true,
    transitionDuration: 0,
  };
}

const ESCAPES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/** Names from traces are inserted into the HTML of tooltips. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (c) => ESCAPES[c] ?? c);
}
