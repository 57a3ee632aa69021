import { type ReactNode, useCallback, useEffect, useMemo, useState } from "react";
import { type Cell, useScope } from "../base/api";
import { setParams, useRoute } from "../base/route";
import type { Params } from "../base/source";
import { EmptyState, ErrorCard, Skeleton } from "./states";
import { TableBody, type TableSelection } from "./table_body";
import { RowDetails } from "./table_details";
import { type RowSource, reportRows, type TableRow, useRows } from "./table_rows";
import { type PageSize, parseTableState, rowParams, type Sort, stateChanges } from "./table_state";
import { TableFoot, TableTools } from "./table_tools";
import "./data_table.css";

export type CellRenderer = (cell: Cell, row: readonly Cell[]) => ReactNode;

export interface TableProps {
  /** The name of the table, for assistive technology and file names. */
  label: string;
  /** The prefix of its parameters in the URL; the tables of one view need different ones. */
  prefix: string;
  /** Filters that always apply, such as the row chosen in another table. */
  fixed?: Params;
  /**
   * The initially visible columns, in this order; the column chooser has the others. Default: all.
   */
  columns?: readonly string[];
  /** Columns that identify a row. Default: its position. */
  keys?: readonly string[];
  /** Rows can be selected; the key of the selected row is in the URL as `{prefix}.sel`. */
  selectable?: boolean;
  /** Selects the first row if there is no selection. */
  autoSelect?: boolean;
  /** Shows all cells of the selected row at the side. */
  details?: boolean;
  /** Renderers for cells of some columns. */
  cells?: Readonly<Record<string, CellRenderer>>;
  /** Shown instead of rows if there are none. */
  empty?: { title: string; why: ReactNode };
  size?: PageSize;
  /** The initial order. Default: that of the report, which exported files always have. */
  sort?: Sort;
  /** Controls of the view, shown before the table's own. */
  tools?: ReactNode;
}

/** A report of the server as a table. */
export function DataTable({ report, ...props }: TableProps & { report: string }) {
  const { profile, agg } = useScope();
  const source = useMemo(() => reportRows(profile, agg, report), [profile, agg, report]);
  return <RowTable source={source} {...props} />;
}

/** A table of any rows that can be searched, filtered, sorted and paged. */
export function RowTable({ source, ...props }: TableProps & { source: RowSource }) {
  const { prefix, keys, fixed } = props;
  const route = useRoute();
  const state = parseTableState(route.params, prefix, { size: props.size });
  const params = rowParams(state, fixed);
  const shown = { ...state, sort: state.sort ?? props.sort ?? null };
  const rows = useRows(source, rowParams(shown, fixed), state.page, state.size);
  const [filtersOpen, setFiltersOpen] = useState(state.filters.size > 0);

  const update = useCallback(
    (changes: Parameters<typeof stateChanges>[1], mode: "push" | "replace" = "replace") =>
      setParams(stateChanges(prefix, changes), mode),
    [prefix],
  );

  const keyOf = useCallback(
    (row: TableRow, index: number): string => {
      if (keys === undefined) return `#${index}`;
      return keys
        .map((name) => String(row.cells[rows.columns.findIndex((c) => c.name === name)] ?? ""))
        .join("|");
    },
    [keys, rows.columns],
  );

  const firstRow = rows.row(0);
  const firstKey = firstRow ? keyOf(firstRow, rows.first) : "";
  const wantsFirst = props.autoSelect === true && state.selected === "" && !rows.loading;
  useEffect(() => {
    if (wantsFirst && firstKey !== "") update({ selected: firstKey });
  }, [wantsFirst, firstKey, update]);

  const visible = useMemo(() => {
    const wanted = state.columns ?? props.columns ?? rows.columns.map((column) => column.name);
    return wanted
      .map((name) => rows.columns.findIndex((column) => column.name === name))
      .filter((index) => index >= 0);
  }, [state.columns, props.columns, rows.columns]);

  const selection: TableSelection | null = props.selectable
    ? {
        selected: state.selected,
        keyOf,
        toggle: (key) =>
          update({ selected: key === state.selected && !props.autoSelect ? "" : key }, "push"),
      }
    : null;

  const narrowed = state.search !== "" || state.filters.size > 0;
  const shownEmpty = !rows.pending && rows.error === null && rows.count === 0;
  return (
    <div className="table-frame">
      <div className="table-main">
        <TableTools
          label={props.label}
          source={source}
          params={params}
          rows={rows}
          state={state}
          visible={visible}
          defaultColumns={props.columns}
          filtersOpen={filtersOpen}
          onFilters={setFiltersOpen}
          update={update}
          prefix={prefix}
        >
          {props.tools}
        </TableTools>
        {rows.error !== null && <ErrorCard error={rows.error} onRetry={rows.refresh} />}
        {rows.pending && <Skeleton lines={6} />}
        {rows.columns.length > 0 && rows.error === null && (
          <TableBody
            label={props.label}
            rows={rows}
            state={shown}
            visible={visible}
            filtersOpen={filtersOpen}
            selection={selection}
            cells={props.cells}
            update={update}
            identity={source.key}
          />
        )}
        {shownEmpty && narrowed && rows.total > 0 && (
          <EmptyState
            title="No row matches"
            why={`None of ${rows.total} rows matches the search and the filters.`}
          >
            <button type="button" className="button" onClick={() => clear(prefix, state.filters)}>
              Clear search and filters
            </button>
          </EmptyState>
        )}
        {shownEmpty && !(narrowed && rows.total > 0) && (
          <EmptyState
            title={props.empty?.title ?? "Nothing to show"}
            why={props.empty?.why ?? rows.notes[0] ?? "This profile has no rows for this table."}
          />
        )}
        {rows.count > 0 && (
          <TableFoot label={props.label} rows={rows} state={state} update={update} />
        )}
        <Notes notes={rows.count > 0 ? rows.notes : rows.notes.slice(1)} />
      </div>
      {props.details && state.selected !== "" && (
        <RowDetails
          rows={rows}
          keyOf={keyOf}
          selected={state.selected}
          onClose={() => update({ selected: "" })}
        />
      )}
    </div>
  );
}

function clear(prefix: string, filters: ReadonlyMap<string, string>): void {
  const changes: Record<string, null> = { [`${prefix}.q`]: null, [`${prefix}.page`]: null };
  for (const column of filters.keys()) changes[`${prefix}.f.${column}`] = null;
  setParams(changes);
}

function Notes({ notes }: { notes: readonly string[] }) {
  if (notes.length === 0) return null;
  return (
    <ul className="table-notes muted">
      {notes.map((note) => (
        <li key={note}>{note}</li>
      ))}
    </ul>
  );
}
