import { useVirtualizer } from "@tanstack/react-virtual";
import {
  type KeyboardEvent,
  type RefObject,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from "react";
import type { Cell, Column, RowLink } from "../base/api";
import { href } from "../base/route";
import type { CellRenderer } from "./data_table";
import { Icon } from "./icon";
import { CellContent, columnLabel, columnWidth, fitWidths, isNumeric } from "./table_cells";
import { ColumnFilter } from "./table_filters";
import type { Rows, TableRow } from "./table_rows";
import { nextSort, type TableState } from "./table_state";
import type { Update } from "./table_tools";

export interface TableSelection {
  selected: string;
  keyOf: (row: TableRow, index: number) => string;
  toggle: (key: string) => void;
}

export interface TableBodyProps {
  label: string;
  rows: Rows;
  state: TableState;
  visible: readonly number[];
  filtersOpen: boolean;
  selection: TableSelection | null;
  cells: Readonly<Record<string, CellRenderer>> | undefined;
  update: Update;
  /** Identifies the source of the rows; another source starts with new widths. */
  identity: string;
}

const ROW_HEIGHT = 30;
const LINK_WIDTH = 34;

export function TableBody(props: TableBodyProps) {
  const { rows, state, visible, selection } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const all = state.size === "all";
  const virtual = useVirtualizer({
    count: all ? rows.count : 0,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: 12,
  });
  const items = all ? virtual.getVirtualItems() : [];
  const from = all ? (items[0]?.index ?? 0) : 0;
  const to = all ? (items.at(-1)?.index ?? -1) : rows.count - 1;
  const { want } = rows;
  useEffect(() => {
    if (all && to >= from) want(from, to);
  }, [all, from, to, want]);

  const indices = Array.from({ length: Math.max(0, to - from + 1) }, (_, i) => from + i);
  const linked = indices.some((i) => rows.row(i)?.link != null);
  const available = useWidth(scroller);
  const natural = useWidths(props, indices);
  const widths = fitWidths(
    natural,
    visible.map((index) => rows.columns[index]),
    available - (linked ? LINK_WIDTH : 0),
  );
  const width = widths.reduce((sum, w) => sum + w, linked ? LINK_WIDTH : 0);

  return (
    <div
      className={`table-scroll ${all ? "tall" : ""} ${rows.loading ? "stale" : ""}`}
      ref={scroller}
    >
      <table
        className={linked ? "table linked" : "table"}
        style={{ minWidth: width }}
        role={selection ? "grid" : undefined}
        aria-label={props.label}
        aria-rowcount={rows.filtered + 1}
        aria-busy={rows.loading}
        onKeyDown={onTableKey}
      >
        <colgroup>
          {linked && <col style={{ width: LINK_WIDTH }} />}
          {visible.map((index, i) => (
            <col key={rows.columns[index]?.name} style={{ width: widths[i] }} />
          ))}
        </colgroup>
        <TableHead {...props} linked={linked} />
        <tbody>
          {from > 0 && <Gap height={from * ROW_HEIGHT} />}
          {indices.map((i) => (
            <Row
              key={i}
              {...props}
              index={i}
              linked={linked}
              tabStop={i === from}
              widths={widths}
            />
          ))}
          {all && to < rows.count - 1 && <Gap height={(rows.count - 1 - to) * ROW_HEIGHT} />}
        </tbody>
      </table>
    </div>
  );
}

/** The width of an element, updated when it changes. */
function useWidth(ref: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const element = ref.current;
    if (element === null) return;
    setWidth(element.clientWidth);
    const observer = new ResizeObserver(() => setWidth(element.clientWidth));
    observer.observe(element);
    return () => observer.disconnect();
  }, [ref]);
  return width;
}

/** Columns only become wider, so that they do not move during paging. */
function useWidths(props: TableBodyProps, indices: readonly number[]): number[] {
  const kept = useRef({ identity: "", widths: new Map<string, number>() });
  if (kept.current.identity !== props.identity) {
    kept.current = { identity: props.identity, widths: new Map() };
  }
  return props.visible.map((at) => {
    const column = props.rows.columns[at];
    if (column === undefined) return 0;
    const values = function* (): Iterable<Cell> {
      for (const i of indices) yield props.rows.row(i)?.cells[at] ?? null;
    };
    const extra = props.cells?.[column.name] ? 72 : 0;
    const wide = props.filtersOpen && isNumeric(column) ? 132 : 0;
    const width = Math.max(
      columnWidth(column, values()) + extra,
      wide,
      kept.current.widths.get(column.name) ?? 0,
    );
    kept.current.widths.set(column.name, width);
    return width;
  });
}

function Gap({ height }: { height: number }) {
  return (
    <tr className="table-gap">
      <td style={{ height }} />
    </tr>
  );
}

function TableHead(props: TableBodyProps & { linked: boolean }) {
  const { rows, visible, state } = props;
  return (
    <thead>
      <tr>
        {props.linked && (
          <th scope="col" className="link-cell">
            <span className="visually-hidden">Timeline</span>
          </th>
        )}
        {visible.map((index, i) => {
          const column = rows.columns[index];
          return (
            column && <HeaderCell key={column.name} {...props} column={column} first={i === 0} />
          );
        })}
      </tr>
      {props.filtersOpen && (
        <tr className="filter-row">
          {props.linked && <td className="link-cell" />}
          {visible.map((index) => {
            const column = rows.columns[index];
            if (column === undefined) return null;
            return (
              <td key={column.name}>
                <ColumnFilter
                  column={column}
                  value={state.filters.get(column.name) ?? ""}
                  onChange={(value) => props.update({ filter: { column: column.name, value } })}
                />
              </td>
            );
          })}
        </tr>
      )}
    </thead>
  );
}

/** A name in the first column stays visible while the numbers are scrolled. */
function cellClass(column: Column, first: boolean): string | undefined {
  if (isNumeric(column)) return "number";
  return first && column.type === "text" ? "pin" : undefined;
}

interface HeaderCellProps extends TableBodyProps {
  column: Column;
  first: boolean;
}

function HeaderCell({ column, first, state, update }: HeaderCellProps) {
  const sort = state.sort?.column === column.name ? state.sort : null;
  return (
    <th
      scope="col"
      className={cellClass(column, first)}
      aria-sort={sort ? (sort.down ? "descending" : "ascending") : undefined}
    >
      <button
        type="button"
        className="header-button"
        data-tip={column.doc}
        onClick={() => update({ sort: nextSort(state.sort, column) })}
      >
        {isNumeric(column) && sort && <Icon name={sort.down ? "down" : "up"} size={11} />}
        <span>{columnLabel(column)}</span>
        {!isNumeric(column) && sort && <Icon name={sort.down ? "down" : "up"} size={11} />}
      </button>
    </th>
  );
}

interface RowProps extends TableBodyProps {
  index: number;
  linked: boolean;
  tabStop: boolean;
  widths: readonly number[];
}

function Row(props: RowProps) {
  const { rows, index, visible, selection } = props;
  const row = rows.row(index);
  if (row === undefined) {
    return (
      <tr className="table-row">
        <td colSpan={visible.length + (props.linked ? 1 : 0)} className="muted">
          …
        </td>
      </tr>
    );
  }
  const key = selection?.keyOf(row, rows.first + index) ?? "";
  const selected = selection !== null && key === selection.selected;
  const choose = selection ? () => selection.toggle(key) : undefined;
  return (
    <tr
      className={`table-row ${selection ? "selectable" : ""}`}
      aria-rowindex={rows.first + index + 2}
      aria-selected={selection ? selected : undefined}
      tabIndex={props.tabStop || selected ? 0 : -1}
      onClick={(event) => {
        if (event.target instanceof Element && event.target.closest("a, button")) return;
        if (window.getSelection()?.isCollapsed === false) return;
        choose?.();
      }}
      onKeyDown={(event) => {
        if (event.target !== event.currentTarget) return;
        if (event.key === "Enter" || event.key === " ") {
          event.preventDefault();
          choose?.();
        }
      }}
    >
      {props.linked && (
        <td className="link-cell">
          {row.link && (
            <a
              className="row-link"
              href={linkHref(row.link)}
              aria-label="Show in the timeline"
              data-tip="Show in the timeline"
            >
              <Icon name="timeline" size={14} />
            </a>
          )}
        </td>
      )}
      {visible.map((at, i) => {
        const column = rows.columns[at];
        if (column === undefined) return null;
        const cell = row.cells[at] ?? null;
        const render = props.cells?.[column.name];
        return (
          <td
            key={column.name}
            className={cellClass(column, i === 0)}
            data-column={column.name}
            data-value={typeof cell === "string" ? undefined : String(cell ?? "")}
          >
            {render ? (
              render(cell, row.cells)
            ) : (
              <CellContent cell={cell} column={column} width={props.widths[i]} />
            )}
          </td>
        );
      })}
    </tr>
  );
}

export function linkHref(link: RowLink): string {
  if ("event" in link) return href("timeline", { event: link.event });
  return href("timeline", { start: link.start, end: link.end });
}

/** Arrows move between rows; Enter selects a row. */
function onTableKey(event: KeyboardEvent<HTMLTableElement>): void {
  const row = event.target instanceof HTMLTableRowElement ? event.target : null;
  if (row === null) return;
  const all = [
    ...event.currentTarget.querySelectorAll<HTMLElement>("tbody tr.table-row[tabindex]"),
  ];
  const at = all.indexOf(row);
  let next = -1;
  if (event.key === "ArrowDown") next = at + 1;
  else if (event.key === "ArrowUp") next = at - 1;
  else if (event.key === "Home") next = 0;
  else if (event.key === "End") next = all.length - 1;
  else return;
  event.preventDefault();
  all[next]?.focus();
}
