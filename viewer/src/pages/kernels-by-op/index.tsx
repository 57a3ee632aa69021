import { useEffect } from "react";
import { useReport } from "../../base/api";
import type { Page } from "../../base/page";
import { type ColumnOf, filterBy, rowReader } from "../../base/reports";
import { setParams, useParam } from "../../base/route";
import { formatDuration } from "../../base/units";
import { DataTable } from "../../widgets/data_table";
import { Panel, ViewHead } from "../../widgets/panel";
import { EmptyState, Loaded } from "../../widgets/states";
import type { Sort } from "../../widgets/table_state";

const OP_COLUMNS: readonly ColumnOf<"op_iteration">[] = [
  "GPU Time (ns)",
  "Op ID",
  "Op Name",
  "Direction",
  "Op Type",
  "Kernels",
  "TC Kernels",
  "TC GPU Time (ns)",
  "Uses TC",
];
const OP_KEY: readonly ColumnOf<"op_iteration">[] = ["Op ID"];

const KERNEL_COLUMNS: readonly ColumnOf<"iteration">[] = [
  "Start (ns)",
  "GPU Duration (ns)",
  "Kernel Name",
  "Uses TC",
  "Device ID",
  "Grid X",
  "Grid Y",
  "Grid Z",
  "Block X",
  "Block Y",
  "Block Z",
  "Input Shapes",
];

const BY_TIME: Sort & { column: ColumnOf<"iteration"> } = { column: "Start (ns)", down: false };

function View() {
  const [iteration] = useParam("it");
  const [op] = useParam("op.sel");
  return (
    <>
      <ViewHead
        title="Kernels by op"
        about="The ops of one iteration, and the kernels of one op in it."
      >
        <IterationPicker />
      </ViewHead>
      {iteration !== "" && (
        <div className="stack">
          <Panel title={`Ops of iteration ${iteration}`} className="flush">
            <DataTable
              report="op_iteration"
              label={`Ops of iteration ${iteration}`}
              prefix="op"
              size={10}
              columns={OP_COLUMNS}
              keys={OP_KEY}
              fixed={{ [filterBy("op_iteration", "Iteration")]: iteration }}
              selectable
              autoSelect
              empty={{
                title: "No ops",
                why: `No op of iteration ${iteration} launched GPU work, or it is not among the analyzed steps.`,
              }}
            />
          </Panel>
          <Panel title={op === "" ? "Kernels" : `Kernels of ${op}`} className="flush">
            {op === "" ? (
              <EmptyState title="No op selected" why="Select an op above to see its kernels." />
            ) : (
              <DataTable
                key={`${iteration} ${op}`}
                report="iteration"
                label={`Kernels of ${op}`}
                prefix="k"
                columns={KERNEL_COLUMNS}
                sort={BY_TIME}
                fixed={{
                  [filterBy("iteration", "Iteration")]: iteration,
                  [filterBy("iteration", "Op ID")]: `=${op}`,
                }}
                selectable
                details
                empty={{
                  title: "No kernels",
                  why: `${op} launched none in iteration ${iteration}.`,
                }}
              />
            )}
          </Panel>
        </div>
      )}
    </>
  );
}

/** Selects the iteration; initially the first aggregated one. */
function IterationPicker() {
  const [iteration] = useParam("it");
  const answer = useReport("iteration_kernels", { limit: "all" });
  const read = answer.data ? rowReader("iteration_kernels", answer.data) : null;
  // Several processes may have an iteration with the same number; the time of the first process is
  // shown.
  const found = new Map<string, { id: string; aggregated: boolean; ns: number | null }>();
  for (const row of answer.data?.rows ?? []) {
    const id = String(read?.get(row, "Iteration") ?? "");
    if (found.has(id)) continue;
    const aggregated = read?.get(row, "Aggregated") === true;
    found.set(id, { id, aggregated, ns: read?.get(row, "Duration (ns)") ?? null });
  }
  const choices = [...found.values()];
  const first = (choices.find((choice) => choice.aggregated) ?? choices[0])?.id;
  useEffect(() => {
    if (iteration === "" && first !== undefined) setParams({ it: first });
  }, [iteration, first]);
  return (
    <Loaded state={answer} lines={1}>
      {() =>
        choices.length === 0 ? (
          <span className="muted">No iterations were found in this trace.</span>
        ) : (
          <label className="row">
            <span className="muted">Iteration</span>
            <select
              className="input"
              value={iteration}
              onChange={(event) =>
                setParams({ it: event.target.value, "k.page": null, "k.sel": null }, "push")
              }
            >
              {choices.map((choice) => (
                <option key={choice.id} value={choice.id}>
                  {choice.id}
                  {choice.ns !== null && ` · ${formatDuration(choice.ns)}`}
                  {choice.aggregated ? "" : " · outside the range"}
                </option>
              ))}
            </select>
          </label>
        )
      }
    </Loaded>
  );
}

const page: Page = {
  id: "kernels-by-op",
  title: "Kernels by op",
  order: 6,
  menu: "Iterations",
  description: "One iteration's ops, and the kernels of the selected op",
  View,
};
export default page;
