import type { Cell, Column, ReportAnswer } from "../base/api";
import { currentRoute } from "../base/route";
import { type Params, toApiError } from "../base/source";
import type { MenuItem } from "./menu";
import type { RowSource } from "./table_rows";

export interface ExportContext {
  source: RowSource;
  params: Params;
  /** The name of the file, without extension. */
  name: string;
  /** Reports the result to the user. */
  say: (message: string) => void;
}

const NEEDS_SERVER = "Needs the server: open the profile with warpsight view for this";

/** Exports of all matching rows as files and to the clipboard. */
export function exportItems(context: ExportContext): MenuItem[] {
  const file = (
    format: string,
    label: string,
    local?: (answer: ReportAnswer) => string,
  ): MenuItem => {
    const url = context.source.exportUrl(format, context.params);
    if (url !== null) return { id: format, label, href: url, download: true };
    const { exportFile } = context.source;
    if (exportFile !== undefined) {
      return {
        id: format,
        label,
        onSelect: () => {
          exportFile(format, context.params).then(
            (bytes) => saveBlob(`${context.name}.${format}`, new Blob([bytes])),
            (error: unknown) => context.say(toApiError(error).message),
          );
        },
      };
    }
    if (local === undefined) return { id: format, label, disabled: true, tip: NEEDS_SERVER };
    return {
      id: format,
      label,
      onSelect: () => {
        void loadAll(context).then((answer) =>
          saveText(`${context.name}.${format}`, local(answer), MIME[format] ?? "text/plain"),
        );
      },
    };
  };
  return [
    file("csv", "CSV", (answer) => delimited(answer, ",")),
    file("json", "JSON", asJson),
    file("xlsx", "Excel"),
    file("pdf", "PDF"),
    {
      id: "clipboard",
      label: "Copy to the clipboard",
      onSelect: () => {
        void copyAll(context);
      },
    },
  ];
}

const MIME: Record<string, string> = { csv: "text/csv", json: "application/json" };

function loadAll(context: ExportContext): Promise<ReportAnswer> {
  return context.source.load(
    { ...context.params, offset: 0, limit: "all" },
    new AbortController().signal,
  );
}

async function copyAll(context: ExportContext): Promise<void> {
  const answer = await loadAll(context);
  const text = `${currentRoute().profile}\n${delimited(answer, "\t")}`;
  context.say(
    (await copyText(text))
      ? `${answer.rows.length} rows copied`
      : "The browser does not allow copying",
  );
}

export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // Pages that are neither https nor localhost have no other access to the clipboard.
    const area = document.createElement("textarea");
    area.value = text;
    document.body.append(area);
    area.select();
    const copied = document.execCommand("copy");
    area.remove();
    return copied;
  }
}

export function saveText(name: string, text: string, type: string): void {
  saveBlob(name, new Blob([text], { type }));
}

export function saveBlob(name: string, blob: Blob): void {
  const url = URL.createObjectURL(blob);
  const anchor = document.createElement("a");
  anchor.href = url;
  anchor.download = name;
  anchor.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/** RFC 4180 with commas; with tabs, the format that spreadsheets accept from the clipboard. */
export function delimited(
  answer: Pick<ReportAnswer, "columns" | "rows">,
  separator: string,
): string {
  const quote = (field: string) => {
    const text = looksLikeFormula(field) ? `'${field}` : field;
    return text.includes(separator) || /["\r\n]/.test(text)
      ? `"${text.replaceAll('"', '""')}"`
      : text;
  };
  const lines = [answer.columns.map((column) => quote(column.name)).join(separator)];
  for (const row of answer.rows) lines.push(row.map((cell) => quote(plain(cell))).join(separator));
  return `${lines.join("\n")}\n`;
}

/**
 * Whether a spreadsheet could interpret the text as a formula. The rule is that of `warpsight
 * report --format csv` (src/analysis/text/csv_text.h): such texts are prefixed with an apostrophe.
 */
export function looksLikeFormula(text: string): boolean {
  const marked = /^[ \t\r\n"']*[=+\-@＝＋－＠]./su.test(text) || /^'*[\t\r\n]/.test(text);
  return marked && text.trim() !== "" && !/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text);
}

function plain(cell: Cell): string {
  if (cell === null) return "";
  if (typeof cell === "boolean") return cell ? "1" : "0";
  return String(cell);
}

/** The layout of `warpsight report --format json`. */
export function asJson(
  answer: Pick<ReportAnswer, "report" | "title" | "columns" | "rows" | "notes">,
): string {
  const rows = answer.rows.map((row) =>
    Object.fromEntries(answer.columns.map((column: Column, i) => [column.name, row[i] ?? null])),
  );
  const { report, title, columns, notes } = answer;
  return `${JSON.stringify({ report, title, columns, rows, notes }, null, 1)}\n`;
}
