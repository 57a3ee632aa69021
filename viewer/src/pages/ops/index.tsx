import { useState } from "react";
import { useReport } from "../../base/api";
import type { Page } from "../../base/page";
import { type ColumnOf, filterBy, rowReader } from "../../base/reports";
import { useParam } from "../../base/route";
import { DataTable } from "../../widgets/data_table";
import { Panel, ViewHead } from "../../widgets/panel";
import { EmptyState, Loaded } from "../../widgets/states";
import type { Sort } from "../../widgets/table_state";
import "./ops.css";

const OP_COLUMNS: readonly ColumnOf<"detail">[] = [
  "Total GPU Time (ns)",
  "Total CPU Time (ns)",
  "Op ID",
  "Op Name",
  "Direction",
  "Op Type",
  "No. Calls",
  "TC Eligible",
  "Using TC",
  "Kernel Calls",
  "Data Type",
  "Shapes",
];
const OP_KEY: readonly ColumnOf<"detail">[] = ["Op ID"];
const BY_GPU_TIME: Sort & { column: ColumnOf<"detail"> & ColumnOf<"kernel"> } = {
  column: "Total GPU Time (ns)",
  down: true,
};

const KERNEL_COLUMNS: readonly ColumnOf<"kernel">[] = [
  "Kernel Name",
  "Uses TC",
  "No. Calls",
  "Total GPU Time (ns)",
  "Avg GPU Time (ns)",
  "Min GPU Time (ns)",
  "Max GPU Time (ns)",
  "Total API Time (ns)",
];

function View() {
  const [op] = useParam("op.sel");
  return (
    <>
      <ViewHead
        title="Ops and kernels"
        about="Every op with its calls and times; the kernels of the selected one are listed below it."
      />
      <div className="stack">
        <Panel title="Ops" className="flush">
          <DataTable
            report="detail"
            label="Ops"
            prefix="op"
            size={10}
            columns={OP_COLUMNS}
            keys={OP_KEY}
            sort={BY_GPU_TIME}
            selectable
            autoSelect
            empty={{ title: "No ops", why: "The analyzed steps contain no framework op." }}
          />
        </Panel>
        {op === "" ? (
          <Panel title="Kernels">
            <EmptyState title="No op selected" why="Select an op above to see its kernels." />
          </Panel>
        ) : (
          <>
            <Panel title={`Kernels of ${op}`} className="flush">
              <DataTable
                key={op}
                report="kernel"
                label={`Kernels of ${op}`}
                prefix="k"
                size={10}
                columns={KERNEL_COLUMNS}
                sort={BY_GPU_TIME}
                fixed={{ [filterBy("kernel", "Op ID")]: `=${op}` }}
                selectable
                details
                empty={{
                  title: "No kernels",
                  why: `${op} launched no GPU work in the analyzed steps.`,
                }}
              />
            </Panel>
            <StackTrace key={op} op={op} />
          </>
        )}
      </div>
    </>
  );
}

const SHORT_LINES = 4;

function StackTrace({ op }: { op: string }) {
  const [open, setOpen] = useState(false);
  const answer = useReport("detail", { [filterBy("detail", "Op ID")]: `=${op}`, limit: 1 });
  return (
    <Panel
      title={`Stack trace of ${op}`}
      doc="Where in the program the op is called, innermost first."
    >
      <Loaded state={answer} lines={3}>
        {(data) => {
          const row = data.rows[0];
          const text = row ? (rowReader("detail", data).get(row, "Stack Trace") ?? "") : "";
          if (text === "") {
            return (
              <EmptyState
                title="No stack was recorded"
                why="Record with torch.profiler.profile(with_stack=True) to see where ops are called."
              />
            );
          }
          const lines = text.split("\n").reverse();
          const shown = open ? lines : lines.slice(0, SHORT_LINES);
          return (
            <div className="stack-trace">
              <ol>
                {shown.map((line, i) => (
                  <li key={`${String(i)}${line}`}>
                    <code>{line}</code>
                  </li>
                ))}
              </ol>
              {lines.length > SHORT_LINES && (
                <button type="button" className="button" onClick={() => setOpen(!open)}>
                  {open ? "See less" : `See ${lines.length - SHORT_LINES} more`}
                </button>
              )}
            </div>
          );
        }}
      </Loaded>
    </Panel>
  );
}

const page: Page = {
  id: "ops",
  title: "Ops and kernels",
  order: 4,
  menu: "Ops",
  description: "Every op, and the kernels and stack of the selected one",
  View,
};
export default page;
