import type { Cell, Column } from "../base/api";
import {
  formatBytes,
  formatCount,
  formatDuration,
  formatExactNs,
  formatMoment,
  formatPercent,
  formatReal,
} from "../base/units";

/**
 * The header of a column. Durations and percentages have units in their cells, so the header does
 * not.
 */
export function columnLabel(column: Column): string {
  const unit = column.type === "duration" || column.type === "percent";
  return unit ? column.name.replace(/ \((ns|%)\)$/, "") : column.name;
}

/** Whether a column of durations contains points in time. */
export function isTimestamp(column: Column): boolean {
  return column.type === "duration" && /(^|\s)(start|end|timestamp)\b/i.test(column.name);
}

export function isNumeric(column: Column): boolean {
  return column.type !== "text" && column.type !== "boolean";
}

/** For people. */
export function formatCell(cell: Cell, column: Column): string {
  if (cell === null) return "–";
  if (typeof cell === "boolean") return cell ? "yes" : "no";
  if (typeof cell === "string") return cell;
  switch (column.type) {
    case "duration":
      return isTimestamp(column) ? formatMoment(cell) : formatDuration(cell);
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

/** Shortens a text in the middle, since names of ops and kernels differ at both ends. */
export function shorten(text: string, max = MAX_TEXT): string {
  if (text.length <= max) return text;
  const head = Math.ceil((max - 1) * 0.6);
  return `${text.slice(0, head)}…${text.slice(text.length - (max - 1 - head))}`;
}

const MAX_TIP = 1200;

export interface CellProps {
  cell: Cell;
  column: Column;
  /** The available width in pixels. */
  width?: number;
}

export function CellContent({ cell, column, width }: CellProps) {
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
    const short = fitText(cell.replace(/\s+/g, " "), width);
    if (short === cell) return cell;
    return (
      <span data-tip={cell.length > MAX_TIP ? `${cell.slice(0, MAX_TIP)}…` : cell}>{short}</span>
    );
  }
  const text = formatCell(cell, column);
  if (column.type === "duration") return <span data-tip={formatExactNs(cell)}>{text}</span>;
  if (column.type === "bytes") return <span data-tip={`${formatCount(cell)} bytes`}>{text}</span>;
  if (column.type === "percent") {
    return (
      <span className="cell-percent">
        <span className="meter cell-meter" aria-hidden="true">
          <span style={{ width: `${Math.max(0, Math.min(100, cell))}%` }} />
        </span>
        <span style={{ minWidth: PERCENT_TEXT }}>{text}</span>
      </span>
    );
  }
  if (column.type === "real") return <span data-tip={String(cell)}>{text}</span>;
  return text;
}

const PADDING = 26;
const SAMPLE = 200;
const MIN_TEXT_WIDTH = 200;
const WIDE_TEXT_WIDTH = 264;
const FALLBACK_CHARACTER = 7.5;
const MIN_CHARACTER = 4;
const PERCENT_BAR = 50;
/** The space for texts, so that the meters of a column begin at the same position. */
const PERCENT_TEXT = 54;
const SORT_MARK = 16;

type Measure = (text: string) => number;

/** Measures texts in the page's font, normal and bold. */
function textMeasure(bold: boolean): Measure {
  const context = document.createElement("canvas").getContext("2d");
  if (context === null) return (text) => text.length * FALLBACK_CHARACTER;
  const font = getComputedStyle(document.body).fontFamily || "sans-serif";
  context.font = bold ? `600 12px ${font}` : `13px ${font}`;
  return (text) => context.measureText(text).width;
}

const measures = new Map<boolean, Measure>();
function textWidth(text: string, bold = false): number {
  let measure = measures.get(bold);
  if (measure === undefined) {
    measure = textMeasure(bold);
    measures.set(bold, measure);
  }
  return measure(text);
}

/**
 * The width of a column by its content, so that columns do not move while rows are scrolled or
 * sorted.
 */
export function columnWidth(column: Column, values: Iterable<Cell>): number {
  let widest = 0;
  let seen = 0;
  for (const value of values) {
    const text = shorten(formatCell(value, column).replace(/\s+/g, " "));
    widest = Math.max(widest, textWidth(text));
    seen += 1;
    if (seen >= SAMPLE) break;
  }
  const label = textWidth(columnLabel(column), true) + SORT_MARK;
  const percent = column.type === "percent";
  const content = percent ? Math.max(widest, PERCENT_TEXT) + PERCENT_BAR : widest;
  return Math.ceil(Math.max(48, content, label) + PADDING);
}

/** As much of a text as fits. */
function fitText(text: string, width: number | undefined): string {
  if (width === undefined) return shorten(text);
  const room = width - PADDING;
  // A text that is certainly too long is shortened before it is measured.
  let short = shorten(text, Math.max(8, Math.floor(room / MIN_CHARACTER)));
  for (let wide = textWidth(short); wide > room && short.length > 8; wide = textWidth(short)) {
    short = shorten(text, Math.min(short.length - 1, Math.floor((short.length * room) / wide)));
  }
  return short;
}

/** Shrinks text columns, which can be truncated, if the table is too wide; below a minimum it scrolls instead. */
export function fitWidths(
  widths: readonly number[],
  columns: readonly (Column | undefined)[],
  available: number,
): number[] {
  const text = widths.map((_, i) => columns[i]?.type === "text");
  const excess = widths.reduce((sum, width) => sum + width, 0) - available;
  if (excess <= 0) {
    // The remaining space is given to texts.
    const texts = text.filter(Boolean).length;
    return widths.map((width, i) => (text[i] ? width + Math.floor(-excess / texts) : width));
  }
  const spare = widths.map((width, i) => (text[i] ? Math.max(0, width - MIN_TEXT_WIDTH) : 0));
  const whole = spare.reduce((sum, part) => sum + part, 0);
  if (whole < excess) return widths.map((w, i) => (text[i] ? Math.min(w, WIDE_TEXT_WIDTH) : w));
  return widths.map((width, i) => Math.floor(width - (spare[i] ?? 0) * (excess / whole)));
}
