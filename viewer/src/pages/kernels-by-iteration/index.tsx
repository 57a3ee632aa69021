import { useMemo } from "react";
import type { Cell } from "../../base/api";
import { resourceColor } from "../../base/colors";
import type { Page } from "../../base/page";
import { type ColumnOf, filterBy } from "../../base/reports";
import { useParam } from "../../base/route";
import { useTheme } from "../../base/theme";
import { formatPercent } from "../../base/units";
import { type CellRenderer, DataTable } from "../../widgets/data_table";
import { Panel, ViewHead } from "../../widgets/panel";
import { EmptyState, Meter } from "../../widgets/states";
import type { Sort } from "../../widgets/table_state";

type IterationColumn = ColumnOf<"iteration_kernels">;

const KEY: readonly IterationColumn[] = ["Iteration"];

const KERNEL_COLUMNS: readonly ColumnOf<"iteration">[] = [
  "Start (ns)",
  "GPU Duration (ns)",
  "Op Name",
  "Kernel Name",
  "Uses TC",
  "Device ID",
  "Stream ID",
  "Grid X",
  "Grid Y",
  "Grid Z",
  "Block X",
  "Block Y",
  "Block Z",
];

const BY_TIME: Sort & { column: ColumnOf<"iteration"> } = { column: "Start (ns)", down: false };

function View() {
  const [iteration] = useParam("it.sel");
  const cells = useMeters();
  return (
    <>
      <ViewHead
        title="Kernels by iteration"
        about="Each iteration with its kernels; the kernels of the selected one are listed below in order of time."
      />
      <div className="stack">
        <Panel title="Iterations" className="flush">
          <DataTable
            report="iteration_kernels"
            label="Iterations"
            prefix="it"
            size={10}
            keys={KEY}
            selectable
            autoSelect
            cells={cells}
            empty={{ title: "No iterations", why: "No iterations were found in this trace." }}
          />
        </Panel>
        <Panel
          title={iteration === "" ? "Kernels" : `Kernels of iteration ${iteration}`}
          className="flush"
        >
          {iteration === "" ? (
            <EmptyState title="No iteration selected" why="Select one above to see its kernels." />
          ) : (
            <DataTable
              key={iteration}
              report="iteration"
              label={`Kernels of iteration ${iteration}`}
              prefix="k"
              columns={KERNEL_COLUMNS}
              sort={BY_TIME}
              fixed={{ [filterBy("iteration", "Iteration")]: iteration }}
              selectable
              details
              empty={{
                title: "No kernels",
                why: `No GPU work ran in iteration ${iteration}, or it is not among the analyzed steps.`,
              }}
            />
          )}
        </Panel>
      </div>
    </>
  );
}

/** Shows shares of the iteration as meters, in the colors of the measured work. */
function useMeters(): Readonly<Record<string, CellRenderer>> {
  const theme = useTheme();
  return useMemo(() => {
    const meter = (color: string) => (cell: Cell) =>
      typeof cell === "number" ? (
        <span className="share">
          <Meter value={cell} color={color} />
          <span className="number">{formatPercent(cell)}</span>
        </span>
      ) : (
        "–"
      );
    const columns: Partial<Record<IterationColumn, CellRenderer>> = {
      "GPU Time (%)": meter(resourceColor("other_kernels", theme)),
      "TC GPU Time (%)": meter(resourceColor("tensor_cores", theme)),
    };
    return columns as Readonly<Record<string, CellRenderer>>;
  }, [theme]);
}

const page: Page = {
  id: "kernels-by-iteration",
  title: "Kernels by iteration",
  order: 5,
  menu: "Iterations",
  description: "Each iteration, and the selected one's kernels in order of time",
  View,
};
export default page;
