import type { ColumnOf, ReportId, ReportRows } from "../generated/reports";
import type { Cell, ReportAnswer } from "./api_types";

export type { ColumnOf, ReportId, ReportRows };

/** The name of a report's column. If the column is removed, this no longer compiles. */
export function column<R extends ReportId>(_report: R, name: ColumnOf<R>): string {
  return name;
}

/** The parameter that filters by a column. */
export function filterBy<R extends ReportId>(report: R, name: ColumnOf<R>): `f.${string}` {
  return `f.${column(report, name)}`;
}

/** Reads cells of a report's rows by column. */
export interface RowReader<R extends ReportId> {
  get<C extends ColumnOf<R>>(row: readonly Cell[], name: C): ReportRows[R][C] | null;
}

export function rowReader<R extends ReportId>(
  _report: R,
  answer: Pick<ReportAnswer, "columns">,
): RowReader<R> {
  const index = new Map(answer.columns.map((c, i) => [c.name, i]));
  return {
    get: <C extends ColumnOf<R>>(row: readonly Cell[], name: C) =>
      (row[index.get(name) ?? -1] ?? null) as ReportRows[R][C] | null,
  };
}
