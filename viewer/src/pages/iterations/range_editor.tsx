import { useEffect, useMemo, useRef, useState } from "react";
import { computeAggregation } from "../../base/aggregation";
import { type Aggregation, type NewAggregation, useScope } from "../../base/api";
import { categoryColor } from "../../base/colors";
import { navigate, setParams, useParam } from "../../base/route";
import { getSource, isAbort, toApiError } from "../../base/source";
import { useTheme } from "../../base/theme";
import { plural } from "../../base/units";
import type { EChartsType } from "../../widgets/chart";
import { Confirm } from "../../widgets/dialog";
import { Icon } from "../../widgets/icon";
import { STEP_SERIES } from "../../widgets/iteration_bars";
import { Panel } from "../../widgets/panel";
import { type Bar, StackedBars } from "../../widgets/stacked_bars";
import { ErrorCard } from "../../widgets/states";
import { Segmented } from "../../widgets/tabs";
import { BoundaryBars } from "./boundary_bars";
import { KeyOpPicker } from "./key_op_picker";
import { setPending, takePending } from "./pending";
import { Stepper } from "./stepper";

interface RangeEditorProps {
  bars: readonly Bar[];
  current: Aggregation;
}

/** The chart of iterations, and the choice of those to aggregate. */
export function RangeEditor({ bars, current }: RangeEditorProps) {
  const range = useRange(current);
  const [show] = useParam("show");
  const profiled = show === "profiled";
  const shown = useMemo(
    () => (profiled ? bars.filter((bar) => !bar.outside) : bars),
    [bars, profiled],
  );
  return (
    <>
      {bars.length > 0 && (
        <BarsPanel bars={shown} range={range} profiled={profiled} total={bars.length} />
      )}
      <Controls current={current} range={range} known={bars.length} />
    </>
  );
}

/** The first and last iteration chosen so far, as stored in the URL. */
interface Range {
  start: number;
  stop: number;
  touched: boolean;
  set: (change: { start?: number; stop?: number }) => void;
}

function useRange(current: Aggregation): Range {
  const [start] = useParam("start");
  const [stop] = useParam("stop");
  const number = (text: string, fallback: number) => {
    const value = Number.parseInt(text, 10);
    return Number.isFinite(value) ? value : fallback;
  };
  return {
    start: number(start, current.start),
    stop: number(stop, current.stop),
    touched: start !== "" || stop !== "",
    set: (change) => setParams(change),
  };
}

function BarsPanel(props: {
  bars: readonly Bar[];
  range: Range;
  profiled: boolean;
  total: number;
}) {
  const { bars, range, profiled } = props;
  const theme = useTheme();
  const [tip, setTip] = useParam("tips");
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set());
  const [chart, setChart] = useState<EChartsType | null>(null);
  const present = STEP_SERIES.filter((_, i) => bars.some((bar) => (bar.values[i] ?? 0) > 0));
  const toggle = (id: string) => {
    const next = new Set(hidden);
    if (!next.delete(id)) next.add(id);
    setHidden(next);
  };
  return (
    <Panel
      title="Time of each iteration"
      doc="Wheel: zoom. Drag: move. Gray iterations are not among the analyzed steps. The black bars mark the choice below and can be dragged."
      actions={
        <>
          <Segmented
            label="Iterations shown"
            choices={[
              { id: "all", label: "All", tip: `${props.total} iterations of the trace` },
              { id: "profiled", label: "Profiled", tip: "the analyzed ones" },
            ]}
            selected={profiled ? "profiled" : "all"}
            onSelect={(id) => setParams({ show: id === "all" ? null : id })}
          />
          <button
            type="button"
            className="button"
            aria-pressed={tip !== "off"}
            onClick={() => setTip(tip === "off" ? null : "off")}
          >
            Tooltips
          </button>
          <button
            type="button"
            className="button"
            onClick={() => chart?.dispatchAction({ type: "dataZoom", start: 0, end: 100 })}
          >
            <Icon name="reset" size={14} /> Reset zoom
          </button>
        </>
      }
    >
      <StackedBars
        label={`Time of ${plural(bars.length, "iteration")} by resource; the table below has the numbers`}
        bars={bars}
        series={STEP_SERIES}
        hidden={hidden}
        height={340}
        zoom
        tooltip={tip !== "off"}
        onReady={setChart}
      >
        {chart && !profiled && (
          <BoundaryBars
            chart={chart}
            bars={bars}
            start={range.start}
            stop={range.stop}
            onChange={range.set}
          />
        )}
      </StackedBars>
      <ul className="bar-legend">
        {present.map((series) => (
          <li key={series.id}>
            <button
              type="button"
              aria-pressed={!hidden.has(series.id)}
              onClick={() => toggle(series.id)}
            >
              <span className="swatch" style={{ background: categoryColor(series.id, theme) }} />
              <span className="legend-name">{series.name}</span>
            </button>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

function Controls(props: { current: Aggregation; range: Range; known: number }) {
  const { current, range } = props;
  const { profile } = useScope();
  const [keyOp, setKeyOp] = useState(current.key_op);
  const [asking, setAsking] = useState(false);
  const [error, setError] = useState<Error | null>(null);
  const [waiting, setWaiting] = useState(false);
  const controller = useRef<AbortController | null>(null);
  useEffect(() => () => controller.current?.abort(), []);

  const offline = getSource().offline;
  const sameOp = keyOp === current.key_op;
  const last = sameOp && props.known > 0 ? props.known - 1 : undefined;
  const backwards = range.start > range.stop;
  const changed = !sameOp || range.start !== current.start || range.stop !== current.stop;

  const compute = () => {
    setAsking(false);
    setError(null);
    setWaiting(true);
    // If iterations are detected again, the previous range is meaningless, unless the user chose
    // it.
    const wanted: NewAggregation =
      sameOp || range.touched
        ? { start: range.start, stop: range.stop, key_op: keyOp }
        : { key_op: keyOp };
    controller.current = new AbortController();
    computeAggregation(
      profile,
      wanted,
      (state) => setPending(profile, state.id),
      controller.current.signal,
    ).then(
      (end) => {
        setWaiting(false);
        if (end.state === "ready" && takePending(profile, end.id)) {
          navigate({ agg: end.id, params: {} });
        } else if (end.state === "failed") setError(new Error(end.error));
      },
      (failure: unknown) => {
        setWaiting(false);
        if (!isAbort(failure)) setError(toApiError(failure));
      },
    );
  };

  return (
    <Panel
      title="Iterations to analyze"
      doc="Iterations are counted from 0. With a key op, an iteration ends where that op ends."
    >
      <div className="range-controls">
        <Stepper
          label="Start"
          value={range.start}
          min={0}
          max={last}
          onChange={(start) => range.set({ start })}
        />
        <Stepper
          label="Stop"
          value={range.stop}
          min={0}
          max={last}
          onChange={(stop) => range.set({ stop })}
        />
        <KeyOpPicker value={keyOp} onChange={setKeyOp} />
        <button
          type="button"
          className="button primary"
          disabled={offline || backwards || !changed || waiting}
          data-tip={
            offline
              ? "Needs a server: open the profile with warpsight view"
              : changed
                ? undefined
                : "These iterations are already shown"
          }
          onClick={() => setAsking(true)}
        >
          {waiting ? "Aggregating…" : "Re-aggregate"}
        </button>
        {changed && (
          <button
            type="button"
            className="button quiet"
            onClick={() => {
              setKeyOp(current.key_op);
              setParams({ start: null, stop: null });
            }}
          >
            Undo
          </button>
        )}
      </div>
      {backwards && <p className="range-problem">The start must not be after the stop.</p>}
      {error && <ErrorCard title="These iterations cannot be analyzed" error={error} />}
      {asking && (
        <Confirm
          title="Re-aggregate?"
          action="Re-aggregate"
          onConfirm={compute}
          onClose={() => setAsking(false)}
        >
          <p>
            All numbers, including advice, are computed again
            {sameOp || range.touched ? ` for iterations ${range.start} to ${range.stop}` : ""}
            {keyOp === "" ? "" : `, which end where ${keyOp} ends`}.
          </p>
          <p className="muted">
            The current numbers stay available in the menu at the top, and the profile is not
            changed.
          </p>
        </Confirm>
      )}
    </Panel>
  );
}
