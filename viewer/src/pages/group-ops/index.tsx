import { useMemo } from "react";
import { useReport, useScope } from "../../base/api";
import type { Page } from "../../base/page";
import { setParams, useParam } from "../../base/route";
import { Icon } from "../../widgets/icon";
import { Menu } from "../../widgets/menu";
import { Panel, ViewHead } from "../../widgets/panel";
import { EmptyState, ErrorCard, Skeleton } from "../../widgets/states";
import { exportItems } from "../../widgets/table_export";
import { reportRows } from "../../widgets/table_rows";
import { useDebounced } from "../../widgets/use_debounced";
import { allGroups, buildTree, ROOT, type TreeNode, visibleRows } from "./tree";
import { TreeTable } from "./tree_table";
import "./group_ops.css";

const ALL = "all";
const SEPARATOR = "|";

function View() {
  const groups = useReport("group_op", { limit: "all" });
  const ops = useReport("detail", { limit: "all" });
  const tree = useMemo(
    () => (groups.data && ops.data ? buildTree(groups.data, ops.data) : null),
    [groups.data, ops.data],
  );
  const error = groups.error ?? ops.error;
  return (
    <>
      <ViewHead
        title="Group ops"
        about="Ops summed along modules and scopes. The numbers of a group are the sums of its contents; backward ops are listed under the scope of their forward op."
      />
      {error && <ErrorCard error={error} onRetry={groups.error ? groups.refresh : ops.refresh} />}
      {!error && (groups.data === undefined || ops.data === undefined) && <Skeleton lines={8} />}
      {groups.data && ops.data && !tree && (
        <EmptyState title="No ops" why="The analyzed steps contain no framework op." />
      )}
      {tree && <Tree root={tree} />}
    </>
  );
}

function Tree({ root }: { root: TreeNode }) {
  const { profile, agg } = useScope();
  const [open, setOpen] = useParam("open");
  const [search, setSearch] = useParam("q");
  const [selected] = useParam("sel");
  const [draft, change, flush] = useDebounced(search, setSearch);
  const opened = useMemo(() => new Set(open === "" ? [ROOT] : open.split(SEPARATOR)), [open]);
  const rows = useMemo(
    () => visibleRows(root, (node) => open === ALL || opened.has(node.id), search),
    [root, open, opened, search],
  );
  const toggle = (node: TreeNode, wanted: boolean) => {
    const next = new Set(open === ALL ? allGroups(root) : opened);
    if (wanted) next.add(node.id);
    else next.delete(node.id);
    setOpen(next.size === 0 ? "none" : [...next].join(SEPARATOR));
  };
  const path = useMemo(() => findPath(root, selected), [root, selected]);
  return (
    <Panel title="Modules and scopes" className="flush">
      <div className="table-tools">
        <label className="table-search">
          <span className="visually-hidden">Search in groups and ops</span>
          <Icon name="search" size={14} />
          <input
            className="input"
            type="search"
            placeholder="Search"
            value={draft}
            onChange={(event) => change(event.target.value)}
            onKeyDown={(event) => event.key === "Enter" && flush()}
          />
        </label>
        <button type="button" className="button" onClick={() => setOpen(ALL)}>
          <Icon name="plus" size={14} /> Expand all
        </button>
        <button type="button" className="button" onClick={() => setOpen("none")}>
          <Icon name="minus" size={14} /> Collapse all
        </button>
        <span className="spacer" />
        <Menu
          align="right"
          label={
            <>
              <Icon name="download" size={14} /> Export
            </>
          }
          title="Export groups"
          heading="All groups"
          items={exportItems({
            source: reportRows(profile, agg, "group_op"),
            params: {},
            name: `${profile}_group_ops`,
            say: () => undefined,
          })}
        />
      </div>
      <p className="tree-path" role="status">
        {path === null ? (
          <span className="muted">Select a row to see its full path</span>
        ) : (
          <>
            <span className="muted">Selected:</span> <code>{path}</code>
          </>
        )}
      </p>
      {rows.length === 0 ? (
        <EmptyState title="Nothing found" why={`No group or op contains “${search}”.`} />
      ) : (
        <TreeTable
          rows={rows}
          whole={root.measures}
          selected={selected}
          onSelect={(node) => setParams({ sel: node.id }, "push")}
          onToggle={toggle}
        />
      )}
    </Panel>
  );
}

function findPath(node: TreeNode, id: string): string | null {
  if (node.id === id) return node.path;
  for (const child of node.children) {
    const found = findPath(child, id);
    if (found !== null) return found;
  }
  return null;
}

const page: Page = {
  id: "group-ops",
  title: "Group ops",
  order: 3,
  menu: "Ops",
  description: "The tree of modules and scopes, with sums over their ops",
  View,
};
export default page;
