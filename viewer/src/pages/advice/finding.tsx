import type { Evidence, Finding } from "../../base/api";
import { href } from "../../base/route";
import { formatCount, formatDuration, formatReal, formatSpeedup } from "../../base/units";
import { Icon } from "../../widgets/icon";
import { ruleName } from "../../widgets/names";
import { Panel } from "../../widgets/panel";
import { sentence } from "../../widgets/states";
import { shorten } from "../../widgets/table_cells";

const MEANING = {
  high: "High: the gain follows from measured times.",
  medium: "Medium: the gain depends on typical efficiencies.",
  low: "Low: the trace suggests it but cannot confirm it.",
} as const;

export function FindingDetails({ finding, today }: { finding: Finding; today: number }) {
  return (
    <Panel title={ruleName(finding.rule)} className="finding">
      <p className="finding-problem">{finding.problem}</p>
      {finding.predicts && finding.predicted_step_ns !== null && (
        <p className="finding-gain">
          <b>
            {finding.predicted_speedup === null ? "" : formatSpeedup(finding.predicted_speedup)}
          </b>
          <span className="muted">
            a step of {formatDuration(today)} becomes one of{" "}
            {formatDuration(finding.predicted_step_ns)}
            {finding.saving_ns !== null && `, ${formatDuration(finding.saving_ns)} less`}
            {finding.predicted_low !== null &&
              finding.predicted_high !== null &&
              `; ${formatSpeedup(finding.predicted_low)} to ${formatSpeedup(finding.predicted_high)} in 80 % of measured changes`}
          </span>
        </p>
      )}
      <h3>What to do</h3>
      <Recommendation text={finding.recommendation} />
      <h3>Evidence</h3>
      <ul className="evidence">
        {finding.evidence.map((piece, i) => (
          <EvidenceLine key={`${String(i)}${piece.text}`} piece={piece} />
        ))}
      </ul>
      {finding.assumes !== "" && (
        <>
          <h3>Assumes</h3>
          <p>{sentence(finding.assumes)}</p>
        </>
      )}
      <h3>Confidence</h3>
      <p>{MEANING[finding.confidence]}</p>
      <p className="muted finding-doc">
        When the rule fires and how its gain is predicted: <code>{finding.documentation}</code>
      </p>
    </Panel>
  );
}

/** Lines that begin with a blank are code. */
function Recommendation({ text }: { text: string }) {
  const blocks: { code: boolean; lines: string[] }[] = [];
  for (const line of text.split("\n")) {
    const code = /^\s/.test(line);
    const last = blocks.at(-1);
    if (last?.code === code) last.lines.push(line);
    else blocks.push({ code, lines: [line] });
  }
  return (
    <div className="recommendation">
      {blocks.map((block, i) =>
        block.code ? (
          <pre key={String(i)}>{block.lines.join("\n")}</pre>
        ) : (
          <p key={String(i)}>{block.lines.join(" ")}</p>
        ),
      )}
    </div>
  );
}

function EvidenceLine({ piece }: { piece: Evidence }) {
  const numbers = [
    piece.time_ns_per_step !== null && `${formatDuration(piece.time_ns_per_step)} per step`,
    piece.count_per_step !== null && `${count(piece.count_per_step)} per step`,
  ].filter(Boolean);
  const address = timelineAddress(piece);
  const named = piece.name !== null && piece.name !== piece.text;
  return (
    <li>
      <div>
        <span>{piece.text}</span>
        {named && (
          <code className="muted" data-tip={piece.name?.slice(0, 800)}>
            {shorten(piece.name ?? "", 90)}
          </code>
        )}
      </div>
      <span className="number nowrap">{numbers.join(", ")}</span>
      {address === null ? (
        <span />
      ) : (
        <a className="button" href={address}>
          <Icon name="timeline" size={14} /> Timeline
        </a>
      )}
    </li>
  );
}

function count(value: number): string {
  return `${Number.isInteger(value) ? formatCount(value) : formatReal(value)}×`;
}

function timelineAddress(piece: Evidence): string | null {
  if (piece.event) return href("timeline", { event: piece.event });
  if (piece.start_ns !== null && piece.end_ns !== null) {
    return href("timeline", { start: piece.start_ns, end: piece.end_ns });
  }
  return null;
}
