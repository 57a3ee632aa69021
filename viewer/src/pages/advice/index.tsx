import { type Advice, type Finding, useAdvice } from "../../base/api";
import type { Page } from "../../base/page";
import { setParams, useParam } from "../../base/route";
import { formatDuration, formatSpeedup } from "../../base/units";
import { ruleName } from "../../widgets/names";
import { Badge, Panel, ViewHead } from "../../widgets/panel";
import { EmptyState, Loaded } from "../../widgets/states";
import { FindingDetails } from "./finding";
import "./advice.css";

function View() {
  return (
    <>
      <ViewHead
        title="Advice"
        about="What to change, the predicted speedup, and the basis of the prediction. Each change is replayed on the recorded step."
      />
      <Loaded state={useAdvice()} lines={10}>
        {(advice) => (
          <div className="stack">
            {advice.findings.length === 0 ? (
              <Panel title="Findings">
                <EmptyState
                  title="No problem found"
                  why="Every rule found nothing to change or could not run: see below."
                />
              </Panel>
            ) : (
              <Findings advice={advice} />
            )}
            <Skipped advice={advice} />
          </div>
        )}
      </Loaded>
    </>
  );
}

function Findings({ advice }: { advice: Advice }) {
  const [rule] = useParam("rule");
  const chosen = advice.findings.find((f) => f.rule === rule) ?? advice.findings[0];
  const today = advice.unprofiled_step_ns ?? advice.step_ns ?? 0;
  return (
    <div className="advice">
      <Panel
        title="Predicted step"
        doc="Length of a step after each change, without the profiler; the current step is on top."
      >
        <ul className="gains">
          <li className="gain-row fixed">
            <GainBar label="Today" ns={today} whole={today} tone="today" />
          </li>
          {advice.findings.map((finding) => (
            <li key={finding.rule}>
              <button
                type="button"
                className="gain-row"
                aria-current={finding === chosen ? "true" : undefined}
                onClick={() => setParams({ rule: finding.rule }, "push")}
              >
                <GainBar
                  label={ruleName(finding.rule)}
                  ns={finding.predicts ? finding.predicted_step_ns : null}
                  whole={today}
                  tone="change"
                  speedup={finding.predicts ? finding.predicted_speedup : null}
                  confidence={finding.confidence}
                />
              </button>
            </li>
          ))}
          {advice.combined_step_ns !== null && (
            <li className="gain-row fixed">
              <GainBar
                label="Together"
                ns={advice.combined_step_ns}
                whole={today}
                tone="together"
                speedup={advice.combined_speedup}
              />
            </li>
          )}
        </ul>
        {advice.combined_step_ns !== null && (
          <p className="muted gains-note">
            Together: all changes combined, best first, without those that affect the same kernels
            as a better one.
          </p>
        )}
      </Panel>
      {chosen && <FindingDetails finding={chosen} today={today} />}
    </div>
  );
}

const CONFIDENCE = { high: "ok", medium: "accent", low: "plain" } as const;

function GainBar(props: {
  label: string;
  ns: number | null;
  whole: number;
  tone: "today" | "change" | "together";
  speedup?: number | null;
  confidence?: Finding["confidence"];
}) {
  const { ns, whole } = props;
  return (
    <>
      <span className="gain-label">
        {props.label}
        {props.confidence && <Badge tone={CONFIDENCE[props.confidence]}>{props.confidence}</Badge>}
      </span>
      <span className="gain-number">
        {ns === null ? <span className="muted">no prediction</span> : formatDuration(ns)}
        {props.speedup != null && <b>{formatSpeedup(props.speedup)}</b>}
      </span>
      <span className="gain-track" aria-hidden="true">
        {ns !== null && whole > 0 && (
          <span className={props.tone} style={{ width: `${Math.min(100, (100 * ns) / whole)}%` }} />
        )}
      </span>
    </>
  );
}

function Skipped({ advice }: { advice: Advice }) {
  if (advice.skipped.length === 0) return null;
  return (
    <Panel
      title="Rules that could not run"
      doc="What each rule needs but this trace does not contain."
    >
      <dl className="skipped">
        {advice.skipped.map((rule) => (
          <div key={rule.rule}>
            <dt>{ruleName(rule.rule)}</dt>
            <dd>{rule.because}</dd>
          </div>
        ))}
      </dl>
    </Panel>
  );
}

const page: Page = {
  id: "advice",
  title: "Advice",
  order: 10,
  description: "What to change, with the predicted gain and the evidence",
  View,
};
export default page;
