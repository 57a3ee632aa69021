import type { Cell, Column } from "../base/api";
import {
  formatBytes,
  formatCount,
  formatDuration,
  formatExactNs,
  formatFixed,
  formatPercent,
  formatReal,
} from "../base/units";

/** The unit is part of each value, so it needs no place in the header. */
export function columnLabel(column: Column): string {
  return column.name.replace(/ \((ns|%)\)$/, "");
}

/** Points in time, among the durations. */
export function isTimestamp(column: Column): boolean {
  return column.type === "duration" && /(^|\s)(start|end|timestamp)\b/i.test(column.name);
}

export function isNumeric(column: Column): boolean {
  return column.type !== "text" && column.type !== "boolean";
}

/** For people. Points in time get more digits: three would make neighbours look alike. */
export function formatCell(cell: Cell, column: Column): string {
  if (cell === null) return "–";
  if (typeof cell === "boolean") return cell ? "yes" : "no";
  if (typeof cell === "string") return cell;
  switch (column.type) {
    case "duration":
      return isTimestamp(column) ? `${formatFixed(cell / 1e6, 3)} ms` : formatDuration(cell);
    case "bytes":
      return formatBytes(cell);
    case "percent":
      return formatPercent(cell);
    case "integer":
      return formatCount(cell);
    default:
      return formatReal(cell);
  }
}

const MAX_TEXT = 56;

/** Cuts the middle out: names of ops and kernels differ at both ends. */
export function shorten(text: string, max = MAX_TEXT): string {
  if (text.length <= max) return text;
  const head = Math.ceil((max - 1) * 0.6);
  return `${text.slice(0, head)}…${text.slice(text.length - (max - 1 - head))}`;
}

const MAX_TIP = 1200;

export function CellContent({ cell, column }: { cell: Cell; column: Column }) {
  if (cell === null || cell === "") {
    return (
      <span className="cell-none" data-tip="not available">
        –
      </span>
    );
  }
  if (typeof cell === "boolean") {
    return <span className={cell ? "cell-yes" : "cell-no"}>{cell ? "yes" : "no"}</span>;
  }
  if (typeof cell === "string") {
    const short = shorten(cell.replace(/\s+/g, " "));
    if (short === cell) return cell;
    return <span data-tip={cell.length > MAX_TIP ? `${cell.slice(0, MAX_TIP)}…` : cell}>{short}</span>;
  }
  const text = formatCell(cell, column);
  if (column.type === "duration") return <span data-tip={formatExactNs(cell)}>{text}</span>;
  if (column.type === "bytes") return <span data-tip={`${formatCount(cell)} bytes`}>{text}</span>;
  if (column.type === "percent") {
    return (
      <span className="cell-percent">
        <span
          className="cell-bar"
          aria-hidden="true"
          style={{ width: `${Math.max(0, Math.min(100, cell)) * 0.4}px` }}
        />
        {text}
      </span>
    );
  }
  return text;
}

const PIXELS_PER_CHARACTER = 7.1;
const PADDING = 26;
const SAMPLE = 200;

/** Widths by content, so that columns do not move while rows are scrolled or ordered. */
export function columnWidth(column: Column, values: Iterable<Cell>): number {
  let longest = 0;
  let seen = 0;
  for (const value of values) {
    const text = formatCell(value, column).replace(/\s+/g, " ");
    longest = Math.max(longest, Math.min(MAX_TEXT, text.length));
    seen += 1;
    if (seen >= SAMPLE) break;
  }
  const label = columnLabel(column).length + 2;
  const content = longest * PIXELS_PER_CHARACTER + (column.type === "percent" ? 48 : 0);
  return Math.round(Math.max(64, content + PADDING, label * PIXELS_PER_CHARACTER + PADDING));
}
