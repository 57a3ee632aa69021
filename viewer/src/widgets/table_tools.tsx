import { type ReactNode, useState } from "react";
import { currentRoute } from "../base/route";
import type { Params } from "../base/source";
import { formatCount } from "../base/units";
import { Dialog } from "./dialog";
import { Icon } from "./icon";
import { Menu } from "./menu";
import { columnLabel } from "./table_cells";
import { exportItems } from "./table_export";
import { MAX_ALL, type RowSource, type Rows } from "./table_rows";
import { PAGE_SIZES, pageChoices, type stateChanges, type TableState } from "./table_state";
import { useDebounced } from "./use_debounced";

export type Update = (
  changes: Parameters<typeof stateChanges>[1],
  mode?: "push" | "replace",
) => void;

export interface TableToolsProps {
  label: string;
  prefix: string;
  source: RowSource;
  params: Params;
  rows: Rows;
  state: TableState;
  visible: readonly number[];
  defaultColumns: readonly string[] | undefined;
  filtersOpen: boolean;
  onFilters: (open: boolean) => void;
  update: Update;
  children: ReactNode;
}

/** Search, filters, columns and exports above a table. */
export function TableTools(props: TableToolsProps) {
  const { label, state, update, rows } = props;
  const [search, changeSearch, flush] = useDebounced(state.search, (q) => update({ search: q }));
  const [choosing, setChoosing] = useState(false);
  const [message, setMessage] = useState("");
  const say = (text: string) => {
    setMessage(text);
    setTimeout(() => setMessage(""), 3000);
  };
  const name = `${currentRoute().profile}_${label.toLowerCase().replace(/\W+/g, "_")}`;
  return (
    <div className="table-tools">
      {props.children}
      <label className="table-search">
        <span className="visually-hidden">Search in {label}</span>
        <Icon name="search" size={14} />
        <input
          className="input"
          type="search"
          placeholder="Search"
          value={search}
          onChange={(event) => changeSearch(event.target.value)}
          onKeyDown={(event) => event.key === "Enter" && flush()}
        />
      </label>
      <button
        type="button"
        className="button"
        aria-pressed={props.filtersOpen}
        onClick={() => props.onFilters(!props.filtersOpen)}
      >
        <Icon name="filter" size={14} /> Filters
        {state.filters.size > 0 && <span className="count-dot">{state.filters.size}</span>}
      </button>
      <span className="spacer" />
      <span className="muted" role="status">
        {message}
      </span>
      <button type="button" className="button" onClick={() => setChoosing(true)}>
        <Icon name="columns" size={14} /> Columns
        {props.visible.length < rows.columns.length && (
          <span className="muted">
            {props.visible.length}/{rows.columns.length}
          </span>
        )}
      </button>
      <Menu
        align="right"
        label={
          <>
            <Icon name="download" size={14} /> Export
          </>
        }
        title={`Export ${label}`}
        heading="All matching rows"
        items={exportItems({ source: props.source, params: props.params, name, say })}
      />
      {choosing && <ColumnChooser {...props} onClose={() => setChoosing(false)} />}
    </div>
  );
}

function ColumnChooser(props: TableToolsProps & { onClose: () => void }) {
  const shown = new Set(props.visible);
  const toggle = (index: number) => {
    const next = props.rows.columns
      .map((column, i) => ({ name: column.name, on: i === index ? !shown.has(i) : shown.has(i) }))
      .filter((column) => column.on)
      .map((column) => column.name);
    if (next.length > 0) props.update({ columns: next });
  };
  return (
    <Dialog
      title="Columns"
      wide
      onClose={props.onClose}
      actions={
        <>
          <button
            type="button"
            className="button"
            onClick={() => props.update({ columns: props.rows.columns.map((c) => c.name) })}
          >
            All
          </button>
          <button
            type="button"
            className="button"
            onClick={() => props.update({ columns: null })}
            disabled={props.state.columns === null}
          >
            Reset
          </button>
          <button type="button" className="button primary" onClick={props.onClose}>
            Done
          </button>
        </>
      }
    >
      <div className="column-list">
        {props.rows.columns.map((column, i) => (
          <label key={column.name}>
            <input type="checkbox" checked={shown.has(i)} onChange={() => toggle(i)} />
            <span>
              {columnLabel(column)}
              {column.doc && <span className="muted column-doc">{column.doc}</span>}
            </span>
          </label>
        ))}
      </div>
    </Dialog>
  );
}

export interface TableFootProps {
  label: string;
  rows: Rows;
  state: TableState;
  update: Update;
}

/** The displayed rows, and the links to others. */
export function TableFoot({ label, rows, state, update }: TableFootProps) {
  const size = state.size === "all" ? Math.max(1, rows.filtered) : state.size;
  const pages = Math.max(1, Math.ceil(rows.filtered / size));
  const page = Math.min(pages, state.page);
  const to = rows.first + rows.count;
  const from = rows.count === 0 ? 0 : rows.first + 1;
  const narrowed = state.search !== "" || state.filters.size > 0;
  const suffix =
    narrowed && rows.filtered < rows.total ? ` (filtered from ${formatCount(rows.total)})` : "";
  const cut = state.size === "all" && rows.filtered > MAX_ALL;
  return (
    <div className="table-foot">
      <span className="muted" role="status">
        Showing {formatCount(from)} to {formatCount(to)} of {formatCount(rows.filtered)}
        {suffix}
        {cut && "; search or filter to see the rest"}
      </span>
      <span className="spacer" />
      <label className="row">
        <span className="muted">Rows</span>
        <select
          className="input"
          value={String(state.size)}
          onChange={(event) => {
            const value = event.target.value;
            update({ size: value === "all" ? "all" : Number(value) });
          }}
        >
          {PAGE_SIZES.map((choice) => (
            <option key={choice} value={String(choice)}>
              {choice}
            </option>
          ))}
        </select>
      </label>
      {pages > 1 && (
        <nav className="pages" aria-label={`Pages of ${label}`}>
          <PageButton label="Previous page" to={page - 1} pages={pages} update={update}>
            <Icon name="chevronLeft" size={14} />
          </PageButton>
          {pageChoices(page, pages).map((choice, i) =>
            choice === null ? (
              <span key={`gap${String(i)}`} className="muted">
                …
              </span>
            ) : (
              <button
                key={choice}
                type="button"
                className="button quiet page"
                aria-label={`Page ${choice}`}
                aria-current={choice === page ? "page" : undefined}
                onClick={() => update({ page: choice }, "push")}
              >
                {formatCount(choice)}
              </button>
            ),
          )}
          <PageButton label="Next page" to={page + 1} pages={pages} update={update}>
            <Icon name="chevronRight" size={14} />
          </PageButton>
        </nav>
      )}
    </div>
  );
}

function PageButton(props: {
  label: string;
  to: number;
  pages: number;
  update: Update;
  children: ReactNode;
}) {
  return (
    <button
      type="button"
      className="button quiet icon"
      aria-label={props.label}
      disabled={props.to < 1 || props.to > props.pages}
      onClick={() => props.update({ page: props.to }, "push")}
    >
      {props.children}
    </button>
  );
}
