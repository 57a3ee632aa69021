import { useVirtualizer } from "@tanstack/react-virtual";
import { type KeyboardEvent, useRef } from "react";
import { resourceColor } from "../../base/colors";
import { href } from "../../base/route";
import { useTheme } from "../../base/theme";
import { formatCount, formatDuration, formatExactNs, formatShare } from "../../base/units";
import { Icon } from "../../widgets/icon";
import { Meter } from "../../widgets/states";
import { shorten } from "../../widgets/table_cells";
import type { Measures, TreeNode, TreeRow } from "./tree";

const ROW_HEIGHT = 30;

interface TreeTableProps {
  rows: readonly TreeRow[];
  whole: Measures;
  selected: string;
  onSelect: (node: TreeNode) => void;
  onToggle: (node: TreeNode, open: boolean) => void;
}

interface DirectionColumn {
  name: string;
  tip: string;
  ns: (measures: Measures) => number;
}

/** Parts of the GPU time. A scope around the forward pass also has the backward work of its ops. */
const DIRECTIONS: readonly DirectionColumn[] = [
  { name: "Forward", tip: "GPU time of forward ops", ns: (m) => m.forwardNs },
  {
    name: "Backward",
    tip: "GPU time of backward ops, which are listed under the scope of their forward op",
    ns: (m) => m.backwardNs,
  },
  { name: "Optimizer", tip: "GPU time of the optimizer's ops", ns: (m) => m.optimizerNs },
];

export function TreeTable(props: TreeTableProps) {
  const { rows, whole } = props;
  const directions = whole.backwardNs + whole.optimizerNs > 0 ? DIRECTIONS : [];
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: 12,
  });
  const items = virtual.getVirtualItems();
  const from = items[0]?.index ?? 0;
  const to = items.at(-1)?.index ?? -1;
  const after = (rows.length - 1 - to) * ROW_HEIGHT;
  return (
    <div className="table-scroll tree-scroll" ref={scroller}>
      <table
        className="table tree-table"
        // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: no element exists for rows that open
        role="treegrid"
        aria-label="Groups and ops"
        aria-rowcount={rows.length + 1}
        onKeyDown={(event) => onTreeKey(event, props)}
      >
        <colgroup>
          <col />
          <col className="w-level" />
          <col className="w-number" />
          <col className="w-number" />
          <col className="w-number" />
          <col className="w-share" />
          <col className="w-time" />
          {directions.map(({ name }) => (
            <col key={name} className="w-time" />
          ))}
          <col className="w-time" />
          <col className="w-overhead" />
          <col className="w-time" />
        </colgroup>
        <thead>
          <tr>
            <Head text="Name" />
            <Head text="Level" number tip="depth in the tree; 0 is all ops" />
            <Head text="Calls" number tip="calls of the ops in the group" />
            <Head text="TC eligible" number tip="ops that can use Tensor Cores" />
            <Head text="Using TC" number tip="ops with a kernel that uses Tensor Cores" />
            <Head text="GPU share" tip="of the GPU time of all ops" />
            <Head text="GPU time" number tip="sum of the durations of the ops' GPU work" />
            {directions.map(({ name, tip }) => (
              <Head key={name} text={name} number tip={tip} />
            ))}
            <Head text="CPU time" number tip="sum of the ops' durations on the CPU" />
            <Head text="CPU overhead" number tip="CPU time of ops without their API calls" />
            <Head text="GPU idle" number tip="time in which the GPU waited for these ops" />
          </tr>
        </thead>
        <tbody>
          {from > 0 && <Gap height={from * ROW_HEIGHT} />}
          {rows.slice(from, to + 1).map((row, i) => (
            <Row
              key={row.node.id}
              row={row}
              index={from + i}
              tabStop={i === 0}
              directions={directions}
              {...props}
            />
          ))}
          {after > 0 && <Gap height={after} />}
        </tbody>
      </table>
    </div>
  );
}

function Head({ text, number, tip }: { text: string; number?: boolean; tip?: string }) {
  return (
    <th scope="col" className={number ? "number" : undefined} data-tip={tip}>
      <span className="header-button plain">{text}</span>
    </th>
  );
}

function Gap({ height }: { height: number }) {
  return (
    <tr className="table-gap">
      <td style={{ height }} />
    </tr>
  );
}

interface RowProps extends TreeTableProps {
  row: TreeRow;
  index: number;
  tabStop: boolean;
  directions: readonly DirectionColumn[];
}

function Row(props: RowProps) {
  const { node, open } = props.row;
  const theme = useTheme();
  const m = node.measures;
  const parent = node.children.length > 0;
  const selected = node.id === props.selected;
  return (
    <tr
      className="table-row selectable"
      data-id={node.id}
      aria-level={node.level + 1}
      aria-expanded={parent ? open : undefined}
      aria-selected={selected}
      aria-rowindex={props.index + 2}
      tabIndex={props.tabStop || selected ? 0 : -1}
      onClick={(event) => {
        if (event.target instanceof Element && event.target.closest("a, button")) return;
        props.onSelect(node);
      }}
      onKeyDown={(event) => {
        if (event.key === "Enter" && event.target === event.currentTarget) props.onSelect(node);
      }}
    >
      <td>
        <span className="tree-name" style={{ paddingLeft: node.level * 18 }}>
          {parent ? (
            <button
              type="button"
              className="tree-toggle"
              tabIndex={-1}
              aria-label={`${open ? "Collapse" : "Expand"} ${node.name}`}
              onClick={() => props.onToggle(node, !open)}
            >
              <Icon name={open ? "chevron" : "chevronRight"} size={12} />
            </button>
          ) : (
            <span className="tree-toggle" />
          )}
          {node.kind === "op" ? (
            <a href={href("ops", { "op.sel": node.id })} tabIndex={-1} data-tip={node.path}>
              {shorten(node.name, 64)}
            </a>
          ) : (
            <b data-tip={node.path}>{shorten(node.name, 64)}</b>
          )}
        </span>
      </td>
      <td className="number muted">{node.level}</td>
      <td className="number">{formatCount(m.calls)}</td>
      <td className="number">{formatCount(m.tcEligible)}</td>
      <td className="number">{formatCount(m.usingTc)}</td>
      <td>
        <span className="share">
          <Meter
            value={m.gpuNs}
            max={props.whole.gpuNs}
            color={resourceColor(m.usingTc > 0 ? "tensor_cores" : "other_kernels", theme)}
          />
          <span className="number">{formatShare(m.gpuNs, props.whole.gpuNs)}</span>
        </span>
      </td>
      <Time ns={m.gpuNs} />
      {props.directions.map(({ name, ns }) => (
        <Time key={name} ns={ns(m)} />
      ))}
      <Time ns={m.cpuNs} />
      <Time ns={m.overheadNs} />
      <Time ns={m.idleNs} />
    </tr>
  );
}

function Time({ ns }: { ns: number }) {
  return (
    <td className="number">
      <span data-tip={formatExactNs(ns)}>{formatDuration(ns)}</span>
    </td>
  );
}

/** Up and down move; right opens, left closes or goes to the parent. */
function onTreeKey(event: KeyboardEvent<HTMLTableElement>, props: TreeTableProps): void {
  const row = event.target instanceof HTMLTableRowElement ? event.target : null;
  if (row === null) return;
  const list = [...event.currentTarget.querySelectorAll<HTMLElement>("tbody tr.table-row")];
  const at = list.indexOf(row);
  const entry = props.rows.find((r) => r.node.id === row.dataset.id);
  if (entry === undefined) return;
  let next: HTMLElement | undefined;
  if (event.key === "ArrowDown") next = list[at + 1];
  else if (event.key === "ArrowUp") next = list[at - 1];
  else if (event.key === "Home") next = list[0];
  else if (event.key === "End") next = list.at(-1);
  else if (event.key === "ArrowRight" && entry.node.children.length > 0 && !entry.open) {
    props.onToggle(entry.node, true);
  } else if (event.key === "ArrowLeft" && entry.open) props.onToggle(entry.node, false);
  else if (event.key === "ArrowLeft") {
    const level = String(entry.node.level);
    next = list.slice(0, at).findLast((r) => Number(r.ariaLevel) === Number(level));
  } else return;
  event.preventDefault();
  next?.focus();
}
