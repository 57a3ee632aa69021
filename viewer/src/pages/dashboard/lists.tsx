import { resourceColor } from "../../base/colors";
import { exact } from "../../base/exact";
import { href } from "../../base/route";
import { useTheme } from "../../base/theme";
import {
  formatCount,
  formatDuration,
  formatExactNs,
  formatPercent,
  formatSpeedup,
} from "../../base/units";
import { Icon } from "../../widgets/icon";
import { ruleName } from "../../widgets/names";
import { Badge, Panel } from "../../widgets/panel";
import { EmptyState, Meter } from "../../widgets/states";
import { shorten } from "../../widgets/table_cells";
import { More, type PanelData } from "./panels";

const CONFIDENCE = { high: "ok", medium: "accent", low: "plain" } as const;

export function AdvicePanel({ data }: PanelData) {
  return (
    <Panel
      title="Expert advice"
      doc="Problems, what to change, and the speed-up of the step when it is replayed with that change."
      actions={
        <a className="button quiet" href={href("advice")}>
          <span>
            {data.advice_total === 1 ? "" : "All "}
            <span {...exact("advice_total", data.advice_total)}>
              {formatCount(data.advice_total)}
            </span>
            {data.advice_total === 1 ? " finding" : " findings"}
          </span>
        </a>
      }
    >
      {data.advice.length === 0 ? (
        <EmptyState
          title="No problem found"
          why="The Advice view lists all rules, including those that could not run."
        />
      ) : (
        <ol className="advice-list">
          {data.advice.map((finding) => (
            <li key={finding.rule}>
              <span className="gain">
                <b {...exact(`advice.${finding.rule}.speedup`, finding.speedup)}>
                  {finding.speedup === null ? "–" : formatSpeedup(finding.speedup)}
                </b>
                {finding.saving_ns !== null && finding.saving_ns > 0 && (
                  <small
                    className="muted"
                    {...exact(`advice.${finding.rule}.saving_ns`, finding.saving_ns)}
                  >
                    −{formatDuration(finding.saving_ns)}
                  </small>
                )}
              </span>
              <div className="advice-text">
                <h3>
                  {ruleName(finding.rule)}{" "}
                  <Badge tone={CONFIDENCE[finding.confidence]}>
                    {finding.confidence} confidence
                  </Badge>
                </h3>
                <p>{finding.problem}</p>
                <p className="muted clamp" data-tip={finding.recommendation}>
                  {finding.recommendation}
                </p>
              </div>
              {finding.event && (
                <a
                  className="button quiet icon"
                  href={href("timeline", { event: finding.event })}
                  aria-label={`Show ${ruleName(finding.rule)} in the timeline`}
                  data-tip="Show in the timeline"
                >
                  <Icon name="timeline" />
                </a>
              )}
              <a
                className="button quiet icon"
                href={href("advice", { rule: finding.rule })}
                aria-label={`Evidence for ${ruleName(finding.rule)}`}
                data-tip="Evidence and how to do it"
              >
                <Icon name="chevronRight" />
              </a>
            </li>
          ))}
        </ol>
      )}
    </Panel>
  );
}

export function TopOpsPanel({ data }: PanelData) {
  const theme = useTheme();
  const onCpu = data.top_ops.every((op) => op.gpu_ns === null);
  const what = onCpu && data.top_ops.length > 0 ? "CPU time" : "GPU time";
  return (
    <Panel
      title={`Top 10 op types by ${what}`}
      className="span-12 flush"
      actions={
        <More
          of="ops"
          to={[
            ["Ops and kernels", href("ops")],
            ["Op types", href("op-types")],
            ["Group ops", href("group-ops")],
          ]}
        />
      }
    >
      {data.top_ops.length === 0 ? (
        <EmptyState title="No ops" why="No op of the range launched GPU work." />
      ) : (
        <div className="plain-scroll">
          <table className="plain-table">
            <thead>
              <tr>
                <th scope="col" className="number">
                  {what}
                </th>
                <th scope="col" className="share-column">
                  Share
                </th>
                <th scope="col">Op type</th>
                <th scope="col">Direction</th>
                <th scope="col" className="number">
                  Ops
                </th>
                <th scope="col" className="number">
                  Calls
                </th>
                <th scope="col">TC eligible</th>
                <th scope="col">Using TC</th>
                <th scope="col">
                  <span className="visually-hidden">Timeline</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {data.top_ops.map((op) => (
                <tr key={op.op_id}>
                  <td
                    className="number"
                    data-tip={formatExactNs(op.gpu_ns ?? op.cpu_ns)}
                    {...exact(
                      `top_ops.${op.op_id}.${op.gpu_ns === null ? "cpu_ns" : "gpu_ns"}`,
                      op.gpu_ns ?? op.cpu_ns,
                    )}
                  >
                    {formatDuration(op.gpu_ns ?? op.cpu_ns)}
                  </td>
                  <td>
                    <span className="share">
                      <Meter
                        value={op.share_percent}
                        color={resourceColor(op.uses_tc ? "tensor_cores" : "other_kernels", theme)}
                      />
                      <span
                        className="number"
                        {...exact(`top_ops.${op.op_id}.share_percent`, op.share_percent)}
                      >
                        {op.share_percent === null ? "–" : formatPercent(op.share_percent)}
                      </span>
                    </span>
                  </td>
                  <td>
                    <a
                      href={href("ops", { "op.sel": op.op_id })}
                      data-tip={`${op.type}; the largest op: ${op.name}`}
                    >
                      {shorten(op.type, 60)}
                    </a>
                  </td>
                  <td>{op.direction}</td>
                  <td className="number" {...exact(`top_ops.${op.op_id}.ops`, op.ops)}>
                    {formatCount(op.ops)}
                  </td>
                  <td className="number" {...exact(`top_ops.${op.op_id}.calls`, op.calls)}>
                    {formatCount(op.calls)}
                  </td>
                  <td
                    className={op.tc_eligible ? "cell-yes" : "cell-no"}
                    {...exact(`top_ops.${op.op_id}.tc_eligible`, op.tc_eligible)}
                  >
                    {op.tc_eligible ? "yes" : "no"}
                  </td>
                  <td
                    className={op.uses_tc ? "cell-yes" : "cell-no"}
                    {...exact(`top_ops.${op.op_id}.uses_tc`, op.uses_tc)}
                  >
                    {op.uses_tc === null ? "not known" : op.uses_tc ? "yes" : "no"}
                  </td>
                  <td>
                    {op.event && (
                      <a
                        className="row-link"
                        href={href("timeline", { event: op.event })}
                        aria-label={`Show ${op.op_id} in the timeline`}
                        data-tip="Show in the timeline"
                      >
                        <Icon name="timeline" size={14} />
                      </a>
                    )}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Panel>
  );
}

export function GuidancePanel({ data }: PanelData) {
  return (
    <Panel title="Where to look next">
      {data.guidance.length === 0 ? (
        <EmptyState
          title="Nothing stands out"
          why="No number of this profile needs a closer look."
        />
      ) : (
        <ul className="guidance">
          {data.guidance.map((item) => (
            <li key={item.text}>
              <a href={href(item.view, item.query)}>
                <Icon name="bulb" />
                <span>{item.text}</span>
                <Icon name="chevronRight" />
              </a>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}

export function SystemPanel({ data }: PanelData) {
  return (
    <Panel title="System">
      <dl className="summary">
        {data.system.map((item) => (
          <div key={item.name}>
            <dt>{item.name}</dt>
            <dd {...exact(`system.${item.name}.value`, item.value)}>{item.value}</dd>
          </div>
        ))}
      </dl>
    </Panel>
  );
}
