import { type KeyboardEvent, type PointerEvent, useEffect, useRef, useState } from "react";
import type { EChartsType } from "../../widgets/chart";
import { BAR_GRID, type Bar } from "../../widgets/stacked_bars";

interface BoundaryBarsProps {
  chart: EChartsType;
  bars: readonly Bar[];
  start: number;
  stop: number;
  onChange: (change: { start?: number; stop?: number }) => void;
}

const AXIS = { xAxisIndex: 0 };

/**
 * Black bars at both ends of the chosen iterations, which can be dragged or moved with the arrow
 * keys.
 */
export function BoundaryBars({ chart, bars, start, stop, onChange }: BoundaryBarsProps) {
  const [, redraw] = useState(0);
  useEffect(() => {
    const onChartChange = () => redraw((n) => n + 1);
    chart.on("finished", onChartChange);
    chart.on("datazoom", onChartChange);
    onChartChange();
    return () => {
      if (chart.isDisposed()) return;
      chart.off("finished", onChartChange);
      chart.off("datazoom", onChartChange);
    };
  }, [chart]);

  const first = bars[0]?.index ?? 0;
  const last = bars.at(-1)?.index ?? 0;
  const shared = { chart, bars, first, last };
  return (
    <>
      <Boundary
        {...shared}
        side="start"
        value={start}
        max={Math.min(stop, last)}
        min={first}
        onMove={(value) => onChange({ start: value })}
      />
      <Boundary
        {...shared}
        side="stop"
        value={stop}
        min={Math.max(start, first)}
        max={last}
        onMove={(value) => onChange({ stop: value })}
      />
    </>
  );
}

interface BoundaryProps {
  chart: EChartsType;
  bars: readonly Bar[];
  side: "start" | "stop";
  value: number;
  min: number;
  max: number;
  onMove: (value: number) => void;
}

function Boundary({ chart, bars, side, value, min, max, onMove }: BoundaryProps) {
  const dragging = useRef(false);
  if (chart.isDisposed()) return null;
  const at = bars.findIndex((bar) => bar.index === value);
  const center = at < 0 ? Number.NaN : Number(chart.convertToPixel(AXIS, at));
  const width = chart.getWidth() - BAR_GRID.left - BAR_GRID.right;
  const next = Number(chart.convertToPixel(AXIS, at + 1));
  const before = Number(chart.convertToPixel(AXIS, at - 1));
  const band = Number.isFinite(next) && next > center ? next - center : center - before;
  const half = (Number.isFinite(band) && band > 0 ? Math.min(band, width) : width) / 2;
  const x = side === "start" ? center - half : center + half;
  if (!Number.isFinite(x)) return null;
  if (x < BAR_GRID.left - 1 || x > chart.getWidth() - BAR_GRID.right + 1) return null;

  const limit = (wanted: number) => Math.max(min, Math.min(max, wanted));
  const onPointerMove = (event: PointerEvent<HTMLDivElement>) => {
    if (!dragging.current) return;
    const box = event.currentTarget.parentElement?.getBoundingClientRect();
    if (box === undefined) return;
    const shift = side === "start" ? half : -half;
    const index = Math.round(
      Number(chart.convertFromPixel(AXIS, event.clientX - box.left + shift)),
    );
    const bar = bars[Math.max(0, Math.min(bars.length - 1, index))];
    if (bar && limit(bar.index) !== value) onMove(limit(bar.index));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const steps: Record<string, number> = {
      ArrowLeft: value - 1,
      ArrowDown: value - 1,
      ArrowRight: value + 1,
      ArrowUp: value + 1,
      Home: min,
      End: max,
    };
    const wanted = steps[event.key];
    if (wanted === undefined) return;
    event.preventDefault();
    onMove(limit(wanted));
  };
  return (
    <div
      className={`boundary ${side}`}
      style={{ left: x, top: BAR_GRID.top - 4, bottom: BAR_GRID.bottom }}
      role="slider"
      tabIndex={0}
      aria-label={side === "start" ? "First iteration" : "Last iteration"}
      aria-valuemin={min}
      aria-valuemax={max}
      aria-valuenow={value}
      data-tip={`${side === "start" ? "Start" : "Stop"}: iteration ${value}`}
      onPointerDown={(event) => {
        dragging.current = true;
        event.currentTarget.setPointerCapture(event.pointerId);
      }}
      onPointerMove={onPointerMove}
      onPointerUp={() => {
        dragging.current = false;
      }}
      onKeyDown={onKeyDown}
    />
  );
}
