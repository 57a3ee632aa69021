import type { Page } from "../../base/page";
import type { ColumnOf } from "../../base/reports";
import { DataTable } from "../../widgets/data_table";
import { Panel, ViewHead } from "../../widgets/panel";
import type { Sort } from "../../widgets/table_state";

const COLUMNS: readonly ColumnOf<"op_type">[] = [
  "Op Type",
  "# Ops",
  "# Calls",
  "Total CPU Time (ns)",
  "Avg. CPU Time (ns)",
  "Min CPU Time (ns)",
  "Max CPU Time (ns)",
  "Total GPU Time (ns)",
  "Avg. GPU Time (ns)",
  "Min GPU Time (ns)",
  "Max GPU Time (ns)",
  "Total CPU Overhead (ns)",
  "Avg. CPU Overhead (ns)",
  "Min CPU Overhead (ns)",
  "Max CPU Overhead (ns)",
  "Total GPU Idle (ns)",
  "Avg. GPU Idle (ns)",
  "Min GPU Idle (ns)",
  "Max GPU Idle (ns)",
];
const KEYS: readonly ColumnOf<"op_type">[] = ["Op Type"];
const BY_GPU_TIME: Sort & { column: ColumnOf<"op_type"> } = {
  column: "Total GPU Time (ns)",
  down: true,
};

function View() {
  return (
    <>
      <ViewHead
        title="Op types"
        about="Ops summed by type: where CPU and GPU time goes, regardless of the module."
      />
      <Panel title="Types of ops" className="flush">
        <DataTable
          report="op_type"
          label="Op types"
          prefix="t"
          columns={COLUMNS}
          keys={KEYS}
          sort={BY_GPU_TIME}
          selectable
          details
          empty={{ title: "No ops", why: "The analyzed steps contain no framework op." }}
        />
      </Panel>
    </>
  );
}

const page: Page = {
  id: "op-types",
  title: "Op types",
  order: 2,
  menu: "Ops",
  description: "Ops summed by type",
  View,
};
export default page;
