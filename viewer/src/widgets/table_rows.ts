import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { type Cell, type Column, paths, type ReportAnswer, type RowLink } from "../base/api";
import {
  type ApiError,
  getSource,
  isAbort,
  type Params,
  queryString,
  toApiError,
} from "../base/source";
import { queryTable } from "../base/table_query";
import type { PageSize } from "./table_state";

/** The source of a table's rows. */
export interface RowSource {
  /** Identifies the rows: sources with different keys have different rows. */
  key: string;
  load(params: Params, signal: AbortSignal): Promise<ReportAnswer>;
  /** The URL of a file with all rows; null if no server can create one. */
  exportUrl(format: string, params: Params): string | null;
  /** The file itself, if a URL is not sufficient to get it. */
  exportFile?(format: string, params: Params): Promise<ArrayBuffer>;
}

export function reportRows(profile: string, agg: string, report: string): RowSource {
  return {
    key: `${profile}/${agg}/${report}`,
    load: (params, signal) => getSource().json(paths.report(profile, agg, report), params, signal),
    exportUrl: (format, params) =>
      getSource().downloadUrl(paths.reportExport(profile, agg, report), { ...params, format }),
  };
}

/** Rows that are already loaded, such as the result of a query. */
export function localRows(
  key: string,
  answer: ReportAnswer,
  exportFile?: RowSource["exportFile"],
): RowSource {
  return {
    key,
    load: async (params) => queryTable(answer, params),
    exportUrl: () => null,
    exportFile,
  };
}

export interface TableRow {
  cells: readonly Cell[];
  link: RowLink | null;
}

export interface Rows {
  columns: readonly Column[];
  notes: readonly string[];
  total: number;
  filtered: number;
  /** The index of the first displayed row among all matching ones. */
  first: number;
  /** The number of displayed rows. */
  count: number;
  row(i: number): TableRow | undefined;
  /** Requests rows that will become visible. */
  want(from: number, to: number): void;
  loading: boolean;
  /** Nothing has arrived yet. */
  pending: boolean;
  error: ApiError | null;
  refresh(): void;
}

const CHUNK = 500;
/** With more rows, browsers cannot make an element tall enough. */
export const MAX_ALL = 500_000;

interface Loaded {
  id: string;
  answer: ReportAnswer;
  chunks: Map<number, ReportAnswer>;
}

/** One page of rows, or all of them, loaded as they become visible. */
export function useRows(source: RowSource, params: Params, page: number, size: PageSize): Rows {
  const all = size === "all";
  const limit = all ? CHUNK : size;
  const offset = all ? 0 : (page - 1) * size;
  const id = `${source.key}${queryString(params)}#${offset}+${size}`;
  const [loaded, setLoaded] = useState<Loaded | null>(null);
  const [error, setError] = useState<ApiError | null>(null);
  const [tries, setTries] = useState(0);
  const asked = useRef<{ id: string; chunks: Set<number>; signal: AbortSignal } | null>(null);

  // biome-ignore lint/correctness/useExhaustiveDependencies: the id stands for source and parameters
  useEffect(() => {
    const controller = new AbortController();
    asked.current = { id, chunks: new Set([0]), signal: controller.signal };
    source.load({ ...params, offset, limit }, controller.signal).then(
      (answer) => {
        if (controller.signal.aborted) return;
        setLoaded({ id, answer, chunks: new Map([[0, answer]]) });
        setError(null);
      },
      (failure: unknown) => {
        if (!isAbort(failure) && !controller.signal.aborted) setError(toApiError(failure));
      },
    );
    return () => controller.abort();
  }, [id, tries]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: the id stands for source and parameters
  const want = useCallback(
    (from: number, to: number) => {
      const current = asked.current;
      if (!all || current === null || current.id !== id) return;
      for (let chunk = Math.floor(from / CHUNK); chunk <= Math.floor(to / CHUNK); chunk += 1) {
        if (current.chunks.has(chunk)) continue;
        current.chunks.add(chunk);
        source.load({ ...params, offset: chunk * CHUNK, limit: CHUNK }, current.signal).then(
          (answer) =>
            setLoaded((old) =>
              old?.id === id ? { ...old, chunks: new Map(old.chunks).set(chunk, answer) } : old,
            ),
          () => current.chunks.delete(chunk),
        );
      }
    },
    [id, all],
  );

  return useMemo(() => {
    const answer = loaded?.answer;
    // Rows of another report have other columns and must not be shown under the new one's title.
    const usable = answer && loaded.id.startsWith(source.key) ? answer : undefined;
    const filtered = usable?.filtered ?? 0;
    const shownAll = usable !== undefined && loaded?.id.endsWith("+all") === true;
    return {
      columns: usable?.columns ?? [],
      notes: usable?.notes ?? [],
      total: usable?.total ?? 0,
      filtered,
      first: usable?.offset ?? 0,
      count: shownAll ? Math.min(filtered, MAX_ALL) : (usable?.rows.length ?? 0),
      row: (i) => {
        const piece = shownAll ? loaded?.chunks.get(Math.floor(i / CHUNK)) : usable;
        const at = shownAll ? i % CHUNK : i;
        const cells = piece?.rows[at];
        return cells ? { cells, link: piece?.links[at] ?? null } : undefined;
      },
      want,
      loading: loaded?.id !== id && error === null,
      pending: usable === undefined && error === null,
      error,
      refresh: () => {
        setError(null);
        setTries((n) => n + 1);
      },
    };
  }, [loaded, error, id, source.key, want]);
}
