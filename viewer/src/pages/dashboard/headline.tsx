import type { Dashboard } from "../../base/api";
import { exact } from "../../base/exact";
import { href } from "../../base/route";
import { formatDuration, formatExactNs, formatFixed, formatSpeedup } from "../../base/units";
import { Icon } from "../../widgets/icon";
import { ruleName } from "../../widgets/names";
import { Badge } from "../../widgets/panel";
import { sentence } from "../../widgets/states";

/** The three main answers of the dashboard, and how far they can be trusted. */
export function Headline({ data }: { data: Dashboard }) {
  return (
    <section className="headline" aria-label="In short">
      <Step data={data} />
      <Verdict data={data} />
      <FirstChange data={data} />
      <Trust data={data} />
    </section>
  );
}

function Step({ data }: { data: Dashboard }) {
  const { step, iterations } = data;
  return (
    <div className="answer">
      <h2 className="answer-question">How long does a step take?</h2>
      {step.average_ns === null ? (
        <p className="answer-value small">Not known</p>
      ) : (
        <p className="answer-value">
          <span
            data-tip={formatExactNs(step.average_ns)}
            {...exact("step.average_ns", step.average_ns)}
          >
            {formatDuration(step.average_ns)}
          </span>
          {step.deviation_ns !== null && (
            <small
              data-tip="standard deviation of the iterations' times"
              {...exact("step.deviation_ns", step.deviation_ns)}
            >
              ± {formatDuration(step.deviation_ns)}
            </small>
          )}
        </p>
      )}
      <p className="muted">
        {step.samples_per_second !== null && (
          <>
            <b {...exact("step.samples_per_second", step.samples_per_second)}>
              {formatFixed(step.samples_per_second, 1)}
            </b>{" "}
            samples per second
            {step.batch_size !== null && (
              <span {...exact("step.batch_size", step.batch_size)}>
                , batches of {step.batch_size}
              </span>
            )}
            .{" "}
          </>
        )}
        {step.clean !== null && (
          <>
            {step.clean.step_ns === null ? "" : "Step without the profiler: "}
            {sentence(step.clean.text)}{" "}
          </>
        )}
        {sentence(iterations.explanation)} <a href={href("iterations")}>Choose iterations</a>
      </p>
    </div>
  );
}

function Verdict({ data }: { data: Dashboard }) {
  const { verdict } = data;
  return (
    <div className={`answer verdict ${verdict.id}`}>
      <h2 className="answer-question">Where does most of the time go?</h2>
      <p className="answer-value">{verdict.headline}</p>
      <p className="muted">
        {sentence(verdict.reason)} <a href={href("timeline")}>Open the timeline</a>
      </p>
    </div>
  );
}

function FirstChange({ data }: { data: Dashboard }) {
  const first = data.advice[0];
  const uncertain = first?.confidence === "low" && first.speedup !== null;
  return (
    <div className="answer">
      <h2 className="answer-question">
        {uncertain ? "What is worth trying?" : "What to change first?"}
      </h2>
      {first === undefined ? (
        <>
          <p className="answer-value small">No rule found a problem</p>
          <p className="muted">
            <a href={href("advice")}>See what was checked</a>
          </p>
        </>
      ) : (
        <>
          <p className="answer-value">
            {first.speedup === null ? (
              ruleName(first.rule)
            ) : (
              <>
                <span {...exact(`advice.${first.rule}.speedup`, first.speedup)}>
                  {formatSpeedup(first.speedup)}
                </span>
                <small>
                  faster with <b>{ruleName(first.rule)}</b>
                  {uncertain && ", with low confidence"}
                </small>
              </>
            )}
          </p>
          {first.predicted_step_ns !== null && data.step.unprofiled_ns !== null && (
            <p className="muted">
              <span {...exact("step.unprofiled_ns", data.step.unprofiled_ns)}>
                {formatDuration(data.step.unprofiled_ns)}
              </span>{" "}
              per step without the profiler →{" "}
              <span {...exact(`advice.${first.rule}.predicted_step_ns`, first.predicted_step_ns)}>
                {formatDuration(first.predicted_step_ns)}
              </span>
            </p>
          )}
          <p className="muted clamp" data-tip={first.recommendation}>
            {first.problem}
          </p>
          <p className="muted">
            <a href={href("advice", { rule: first.rule })}>What to do</a>
          </p>
        </>
      )}
    </div>
  );
}

function Trust({ data }: { data: Dashboard }) {
  const { sentence: text, limits } = data.trust;
  const serious = limits.filter((limit) => limit.serious);
  const tone = serious.length > 0 ? "danger" : limits.length > 0 ? "warn" : "ok";
  return (
    <div className={`trust ${tone}`}>
      <Icon name={tone === "ok" ? "check" : "warning"} />
      <p className="trust-text">
        {serious.length > 0 && <Badge tone="danger">serious</Badge>} {sentence(text)}
      </p>
      <span className="spacer" />
      <a href={href("trust")}>Details</a>
    </div>
  );
}
