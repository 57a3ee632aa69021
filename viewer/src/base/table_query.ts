import type { Cell, Column, ReportAnswer, RowLink } from "./api_types";
import type { Params } from "./source";

/**
 * Search, filters, order and paging of a report's rows as implemented by the server (docs/api.md),
 * for pages without a server.
 */
export function queryTable(all: ReportAnswer, params: Params): ReportAnswer {
  const tests = rowTests(all.columns, params);
  const kept: number[] = [];
  for (let i = 0; i < all.rows.length; i += 1) {
    const row = all.rows[i];
    if (row !== undefined && tests.every((test) => test(row))) kept.push(i);
  }
  const sort = all.columns.findIndex((column) => column.name === params.sort);
  if (sort >= 0) sortRows(kept, all.rows, sort, params.order === "desc");

  const offset = Number(params.offset ?? 0);
  const limit = params.limit === "all" ? kept.length : Number(params.limit ?? 25);
  const page = kept.slice(offset, offset + limit);
  return {
    ...all,
    total: all.rows.length,
    filtered: kept.length,
    offset,
    rows: page.map((i) => all.rows[i] ?? []),
    links: page.map((i): RowLink | null => all.links[i] ?? null),
  };
}

type RowTest = (row: readonly Cell[]) => boolean;

function rowTests(columns: readonly Column[], params: Params): RowTest[] {
  const tests: RowTest[] = [];
  const search = String(params.search ?? "").toLowerCase();
  if (search !== "") {
    tests.push((row) => row.some((cell) => cellText(cell).toLowerCase().includes(search)));
  }
  for (const [name, value] of Object.entries(params)) {
    if (!name.startsWith("f.") || value === null || value === undefined || value === "") continue;
    const index = columns.findIndex((column) => column.name === name.slice(2));
    const column = columns[index];
    if (column === undefined) continue;
    const test = cellTest(column, String(value));
    tests.push((row) => test(row[index] ?? null));
  }
  return tests;
}

function cellText(cell: Cell): string {
  if (cell === null) return "";
  if (typeof cell === "boolean") return cell ? "1" : "0";
  return String(cell);
}

function cellTest(column: Column, filter: string): (cell: Cell) => boolean {
  if (column.type === "text") {
    if (filter.startsWith("=")) return (cell) => cellText(cell) === filter.slice(1);
    const wanted = filter.toLowerCase();
    return (cell) => cellText(cell).toLowerCase().includes(wanted);
  }
  if (column.type === "boolean") return (cell) => cell === (filter === "1");
  const range = parseRange(filter);
  return (cell) => typeof cell === "number" && cell >= range.min && cell <= range.max;
}

export interface NumberRange {
  min: number;
  max: number;
}

/** `10..20`, `10..`, `..20` or `15`. */
export function parseRange(text: string): NumberRange {
  const at = text.indexOf("..");
  if (at < 0) return { min: Number(text), max: Number(text) };
  const low = text.slice(0, at).trim();
  const high = text.slice(at + 2).trim();
  return {
    min: low === "" ? Number.NEGATIVE_INFINITY : Number(low),
    max: high === "" ? Number.POSITIVE_INFINITY : Number(high),
  };
}

function sortRows(order: number[], rows: readonly Cell[][], column: number, down: boolean): void {
  order.sort((a, b) => {
    const compared = compareCells(rows[a]?.[column] ?? null, rows[b]?.[column] ?? null, down);
    return compared === 0 ? a - b : compared;
  });
}

/** Missing values come last in both orders. */
export function compareCells(a: Cell, b: Cell, down: boolean): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  const compared =
    typeof a === "string" && typeof b === "string"
      ? a < b
        ? -1
        : a > b
          ? 1
          : 0
      : Number(a) - Number(b);
  return down ? -compared : compared;
}
