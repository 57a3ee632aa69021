import type { Column } from "../base/api";
import type { RouteParams } from "../base/route";
import type { Params } from "../base/source";

/**
 * The state of a table, kept in the URL with a prefix so that the tables of one view do not
 * collide.
 */
export interface TableState {
  page: number;
  size: PageSize;
  sort: Sort | null;
  search: string;
  filters: ReadonlyMap<string, string>;
  /** The key of the selected row; "" if there is none. */
  selected: string;
  /** The visible columns; null for the table's default. */
  columns: readonly string[] | null;
}

export type PageSize = number | "all";
export interface Sort {
  column: string;
  down: boolean;
}

export const PAGE_SIZES: readonly PageSize[] = [10, 25, 50, 100, "all"];
export const DEFAULT_SIZE = 25;
const SEPARATOR = "|";

export function parseTableState(
  params: ReadonlyMap<string, string>,
  prefix: string,
  defaults: { size?: PageSize } = {},
): TableState {
  const get = (name: string) => params.get(`${prefix}.${name}`) ?? "";
  const size = get("size");
  const sort = get("sort");
  const columns = get("cols");
  const filters = new Map<string, string>();
  for (const [name, value] of params) {
    if (name.startsWith(`${prefix}.f.`)) filters.set(name.slice(prefix.length + 3), value);
  }
  const known = PAGE_SIZES.find((choice) => String(choice) === size);
  return {
    page: Math.max(1, Number.parseInt(get("page"), 10) || 1),
    size: known ?? defaults.size ?? DEFAULT_SIZE,
    sort: sort === "" ? null : { column: sort.replace(/^-/, ""), down: sort.startsWith("-") },
    search: get("q"),
    filters,
    selected: get("sel"),
    columns: columns === "" ? null : columns.split(SEPARATOR),
  };
}

/** The changes of the URL. Another search, filter, order or page size returns to the first page. */
export function stateChanges(
  prefix: string,
  changes: Partial<Omit<TableState, "filters">> & { filter?: { column: string; value: string } },
): RouteParams {
  const result: Record<string, string | number | null> = {};
  const set = (name: string, value: string | number | null) => {
    result[`${prefix}.${name}`] = value;
  };
  const { sort, filter } = changes;
  if (sort !== undefined) set("sort", sort === null ? null : (sort.down ? "-" : "") + sort.column);
  if (changes.search !== undefined) set("q", changes.search);
  if (filter !== undefined) set(`f.${filter.column}`, filter.value);
  if (changes.size !== undefined) set("size", changes.size);
  if (changes.selected !== undefined) set("sel", changes.selected);
  if (changes.columns !== undefined) set("cols", changes.columns?.join(SEPARATOR) ?? null);
  const moved = sort !== undefined || changes.search !== undefined || filter !== undefined;
  if (moved || changes.size !== undefined) set("page", null);
  if (changes.page !== undefined) set("page", changes.page <= 1 ? null : changes.page);
  return result;
}

/** The selection and order of rows, as server parameters. */
export function rowParams(state: TableState, fixed: Params = {}): Params {
  const params: Record<string, string | number | boolean | null | undefined> = {};
  if (state.sort) {
    params.sort = state.sort.column;
    params.order = state.sort.down ? "desc" : "asc";
  }
  if (state.search !== "") params.search = state.search;
  for (const [column, value] of state.filters) {
    if (value !== "") params[`f.${column}`] = value;
  }
  return { ...params, ...fixed };
}

/**
 * The order after a click on a header: numbers first descending, texts first ascending; then the
 * opposite; then none.
 */
export function nextSort(current: Sort | null, column: Column): Sort | null {
  const firstDown = column.type !== "text";
  if (current?.column !== column.name) return { column: column.name, down: firstDown };
  return current.down === firstDown ? { column: column.name, down: !firstDown } : null;
}

/** The pages to offer: first, last and those around the current one; null is a gap. */
export function pageChoices(page: number, pages: number): (number | null)[] {
  const wanted = new Set([1, pages, page - 1, page, page + 1]);
  const list = [...wanted].filter((p) => p >= 1 && p <= pages).sort((a, b) => a - b);
  const result: (number | null)[] = [];
  for (const [i, p] of list.entries()) {
    const before = list[i - 1];
    if (before !== undefined && p - before === 2) result.push(p - 1);
    else if (before !== undefined && p - before > 2) result.push(null);
    result.push(p);
  }
  return result;
}

const UNITS: Record<string, number> = {
  ns: 1,
  us: 1e3,
  µs: 1e3,
  ms: 1e6,
  s: 1e9,
  b: 1,
  kb: 1e3,
  mb: 1e6,
  gb: 1e9,
  tb: 1e12,
  "%": 1,
};

/** Parses a number as people type it: `1,500`, `2 ms`, `1.5GB`. Null if it is not a number. */
export function parseQuantity(text: string): number | null {
  const match = /^\s*(-?[\d.,]+(?:e-?\d+)?)\s*([a-zµ%]*)\s*$/i.exec(text);
  if (!match) return null;
  const value = Number((match[1] ?? "").replaceAll(",", ""));
  const unit = (match[2] ?? "").toLowerCase();
  const factor = unit === "" ? 1 : UNITS[unit];
  return Number.isFinite(value) && factor !== undefined ? value * factor : null;
}

/** Converts the two fields of a number filter to `10..20`; "" if both are empty. */
export function formatRange(min: string, max: string): string | null {
  const low = min.trim() === "" ? "" : parseQuantity(min);
  const high = max.trim() === "" ? "" : parseQuantity(max);
  if (low === null || high === null) return null;
  return low === "" && high === "" ? "" : `${low}..${high}`;
}

export function splitRange(filter: string): [string, string] {
  const at = filter.indexOf("..");
  return at < 0 ? [filter, filter] : [filter.slice(0, at), filter.slice(at + 2)];
}
