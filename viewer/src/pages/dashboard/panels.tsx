import { useMemo } from "react";
import { type Dashboard, type KernelSum, type SummaryItem, useReport } from "../../base/api";
import { categoryColor, idleColor, outsideColor, resourceColor } from "../../base/colors";
import { exact } from "../../base/exact";
import { href } from "../../base/route";
import { useTheme } from "../../base/theme";
import {
  formatBytes,
  formatCount,
  formatDuration,
  formatExactNs,
  formatPercent,
  formatReal,
  formatShare,
  plural,
} from "../../base/units";
import { barsOf, STEP_SERIES } from "../../widgets/iteration_bars";
import { Menu } from "../../widgets/menu";
import { Panel } from "../../widgets/panel";
import { Pie } from "../../widgets/pie";
import { StackedBars } from "../../widgets/stacked_bars";
import { EmptyState, Loaded, Meter } from "../../widgets/states";
import { Definition } from "../../widgets/tip";

export interface PanelData {
  data: Dashboard;
}

/** "More…": links to detailed views. */
export function More({ of, to }: { of: string; to: readonly [label: string, address: string][] }) {
  return (
    <Menu
      align="right"
      className="button quiet more"
      label="More"
      title={`More about ${of}`}
      items={to.map(([label, address]) => ({ id: address, label, href: address }))}
    />
  );
}

export function UtilizationPanel({ data }: PanelData) {
  const theme = useTheme();
  const { percent, with_copies_percent, gpus } = data.gpu_utilization;
  const whole = data.resources.reduce((sum, r) => sum + r.ns, 0);
  return (
    <Panel
      title="GPU utilization"
      className="span-4"
      doc="Share of the time of the analyzed steps in which at least one kernel ran on the GPU, averaged over GPUs."
      actions={
        <More
          of="GPU utilization"
          to={[
            ["GPUs", href("gpus")],
            ["Timeline", href("timeline")],
          ]}
        />
      }
    >
      {percent === null ? (
        <EmptyState title="Not known" why="The analyzed steps have no GPU work." />
      ) : (
        <div className="utilization">
          <Pie
            label="GPU utilization"
            slices={[
              {
                id: "busy",
                name: "busy",
                ns: (whole * percent) / 100,
                color: resourceColor("tensor_cores", theme),
              },
              {
                id: "idle",
                name: "idle",
                ns: (whole * (100 - percent)) / 100,
                color: outsideColor(theme),
              },
            ]}
            center={{
              value: formatPercent(percent),
              caption: "busy",
              exact: exact("gpu_utilization.percent", percent),
            }}
          />
          <p className="muted">
            {with_copies_percent !== null && (
              <span {...exact("gpu_utilization.with_copies_percent", with_copies_percent)}>
                {formatPercent(with_copies_percent)} with copies.{" "}
              </span>
            )}
            {gpus.length > 1
              ? `${gpus.length} GPUs, ${spread(gpus.map((gpu) => gpu.percent))}.`
              : (gpus[0]?.name ?? "")}
          </p>
        </div>
      )}
    </Panel>
  );
}

function spread(values: (number | null)[]): string {
  const known = values.filter((value) => value !== null);
  if (known.length === 0) return "utilization not known";
  return `${formatPercent(Math.min(...known))} to ${formatPercent(Math.max(...known))}`;
}

export function ResourcesPanel({ data }: PanelData) {
  const theme = useTheme();
  const biggest = [...data.resources].sort((a, b) => b.ns - a.ns)[0];
  return (
    <Panel
      title="Where the time goes"
      className="span-4"
      doc="Resource usage breakdown: every moment of the analyzed steps, on every GPU, belongs to exactly one of these."
      actions={
        <More
          of="where the time goes"
          to={[
            ["Iterations", href("iterations")],
            ["Op types", href("op-types")],
            ["Timeline", href("timeline")],
          ]}
        />
      }
    >
      <Pie
        label="Resource usage breakdown"
        field="resources"
        slices={data.resources.map((r) => ({ ...r, color: categoryColor(r.id, theme) }))}
        center={
          biggest && {
            value: biggest.percent === null ? "n/a" : formatPercent(biggest.percent),
            caption: biggest.name,
          }
        }
      />
    </Panel>
  );
}

export function IdlePanel({ data }: PanelData) {
  const theme = useTheme();
  const { idle } = data;
  return (
    <Panel
      title="Why the GPU was idle"
      className="span-4"
      doc="Time in which a GPU ran nothing, by cause, as shares of the whole time."
      actions={
        <More
          of="GPU idle time"
          to={[
            ["Idle causes", href("reports", { report: "gaps" })],
            ["Timeline", href("timeline")],
          ]}
        />
      }
    >
      {idle.ns === null ? (
        <EmptyState title="Not known" why="No GPU work was recorded." />
      ) : idle.ns === 0 ? (
        <EmptyState title="Never idle" why="The GPU had work at every moment of the range." />
      ) : (
        <Pie
          label="Causes of GPU idle time"
          field="idle.causes"
          slices={idle.causes.map((c) => ({ ...c, ns: c.ns ?? 0, color: idleColor(c.id, theme) }))}
          center={{
            value: idle.percent === null ? formatDuration(idle.ns) : formatPercent(idle.percent),
            caption: "of the time idle",
            exact:
              idle.percent === null
                ? exact("idle.ns", idle.ns)
                : exact("idle.percent", idle.percent),
          }}
        />
      )}
    </Panel>
  );
}

export function KernelsPanel({ data }: PanelData) {
  const { all, tensor_cores, memory, other } = data.kernels;
  const parts = [
    { id: "tensor_cores", name: "Tensor Core kernels", sum: tensor_cores, field: "tensor_cores" },
    { id: "memory", name: "Memory", sum: memory, field: "memory" },
    { id: "other_kernels", name: "Other kernels", sum: other, field: "other" },
  ];
  return (
    <Panel
      title="Total kernel GPU time"
      doc="Sum of the durations of kernels, copies and memsets in the analyzed steps."
      actions={
        <More
          of="kernels"
          to={[
            ["Kernels", href("reports", { report: "kernel" })],
            ["Ops and kernels", href("ops")],
            ["Kernels by iteration", href("kernels-by-iteration")],
          ]}
        />
      }
    >
      {all.gpu_ns === null || all.count === null ? (
        <EmptyState title="Not known" why="No GPU work was recorded." />
      ) : (
        <>
          <p className="figure">
            <b data-tip={formatExactNs(all.gpu_ns)} {...exact("kernels.all.gpu_ns", all.gpu_ns)}>
              {formatDuration(all.gpu_ns)}
            </b>
            <span className="muted" {...exact("kernels.all.count", all.count)}>
              in {plural(all.count, "kernel")}
            </span>
          </p>
          <ul className="measures">
            {parts.map((part) => (
              <KernelPart key={part.id} part={part} all={all.gpu_ns ?? 0} />
            ))}
          </ul>
        </>
      )}
    </Panel>
  );
}

interface KernelPartProps {
  part: { id: string; name: string; sum: KernelSum; field: string };
  all: number;
}

function KernelPart({ part, all }: KernelPartProps) {
  const theme = useTheme();
  const time = part.sum.gpu_ns ?? 0;
  const count = part.sum.count ?? 0;
  return (
    <li>
      <span>{part.name}</span>
      <span
        className="number"
        data-tip={formatExactNs(time)}
        {...exact(`kernels.${part.field}.gpu_ns`, time)}
      >
        {formatDuration(time)}
      </span>
      <span className="number muted" {...exact(`kernels.${part.field}.count`, count)}>
        {formatCount(count)}×
      </span>
      <span className="number">{formatShare(time, all)}</span>
      <Meter value={time} max={all} color={resourceColor(part.id, theme)} />
    </li>
  );
}

export function TensorCoresPanel({ data }: PanelData) {
  const theme = useTheme();
  const { percent, eligible_ns, eligible_on_tensor_cores_ns } = data.tensor_cores;
  return (
    <Panel
      title="Tensor Core efficiency"
      doc="Of the GPU time of ops that could use Tensor Cores, the share of kernels that do."
      actions={
        <More
          of="Tensor Cores"
          to={[
            ["Tensor Core use", href("reports", { report: "tensor_core" })],
            ["Ops that could use them", href("ops", { "op.f.TC Eligible": "1" })],
          ]}
        />
      }
    >
      {percent === null || eligible_ns === null || eligible_on_tensor_cores_ns === null ? (
        <EmptyState
          title="Not applicable"
          why="No recorded op of the analyzed steps could use Tensor Cores."
        />
      ) : (
        <>
          <p className="figure">
            <b {...exact("tensor_cores.percent", percent)}>{formatPercent(percent)}</b>
          </p>
          <Meter
            value={percent}
            color={resourceColor("tensor_cores", theme)}
            label={`Tensor Core efficiency ${formatPercent(percent)}`}
          />
          <p className="muted figure-note">
            <span
              {...exact("tensor_cores.eligible_on_tensor_cores_ns", eligible_on_tensor_cores_ns)}
            >
              {formatDuration(eligible_on_tensor_cores_ns)}
            </span>{" "}
            of{" "}
            <span {...exact("tensor_cores.eligible_ns", eligible_ns)}>
              {formatDuration(eligible_ns)}
            </span>{" "}
            in ops that could use Tensor Cores.
          </p>
        </>
      )}
    </Panel>
  );
}

function formatSummary(item: SummaryItem): string {
  if (item.value === null) return "n/a";
  if (typeof item.value === "string") return item.value;
  switch (item.unit) {
    case "ns":
      return formatDuration(item.value);
    case "%":
      return formatPercent(item.value);
    case "bytes":
    case "B":
      return formatBytes(item.value);
    default: {
      const text = Number.isInteger(item.value) ? formatCount(item.value) : formatReal(item.value);
      return item.unit === "" ? text : `${text} ${item.unit}`;
    }
  }
}

export function SummaryPanel({ data }: PanelData) {
  return (
    <Panel title="Performance summary" className="span-4">
      <dl className="summary">
        {data.summary.map((item) => (
          <div key={item.id}>
            <dt>
              {item.name}
              <Definition of={item.name} text={item.doc} />
            </dt>
            <dd
              {...exact(`summary.${item.id}.value`, item.value)}
              data-tip={
                item.unit === "ns" && typeof item.value === "number"
                  ? formatExactNs(item.value)
                  : undefined
              }
            >
              {formatSummary(item)}
            </dd>
          </div>
        ))}
      </dl>
    </Panel>
  );
}

export function IterationsPanel({ data }: PanelData) {
  const steps = useReport("steps", { limit: "all" });
  const bars = useMemo(() => (steps.data ? barsOf(steps.data) : []), [steps.data]);
  const { total, first, last } = data.iterations;
  return (
    <Panel
      title="Iterations"
      className="span-8"
      doc="Each iteration's time by what it was spent on; gray ones are not among the analyzed steps."
      actions={
        <>
          <span className="muted nowrap">
            <span {...exact("iterations.first", first)}>{first}</span> to{" "}
            <span {...exact("iterations.last", last)}>{last}</span> of{" "}
            <span {...exact("iterations.total", total)}>{plural(total, "iteration")}</span>
          </span>
          <More
            of="iterations"
            to={[
              ["Iterations", href("iterations")],
              ["Kernels by iteration", href("kernels-by-iteration")],
              ["Kernels by op", href("kernels-by-op")],
            ]}
          />
        </>
      }
    >
      <Loaded state={steps} lines={6}>
        {() =>
          bars.length === 0 ? (
            <EmptyState title="No iterations" why={data.iterations.explanation} />
          ) : (
            <StackedBars
              label={`Time of ${plural(bars.length, "iteration")} by resource; the Iterations view has the numbers`}
              bars={bars}
              series={STEP_SERIES}
              height={262}
            />
          )
        }
      </Loaded>
    </Panel>
  );
}
