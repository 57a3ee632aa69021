import { type Roofline, useRoofline } from "../../base/api";
import type { Page } from "../../base/page";
import type { ColumnOf } from "../../base/reports";
import { setParams, useParam } from "../../base/route";
import { plural } from "../../base/units";
import { DataTable } from "../../widgets/data_table";
import { Panel, ViewHead } from "../../widgets/panel";
import { EmptyState, Loaded, sentence } from "../../widgets/states";
import { Tabs } from "../../widgets/tabs";
import { drawable, RooflineChart } from "./chart";
import "./roofline.css";

const ROOFLINE_COLUMNS: readonly ColumnOf<"roofline">[] = [
  "GPU Time (ns)",
  "Op ID",
  "Direction",
  "Number Format",
  "Intensity (FLOP/B)",
  "TFLOP/s",
  "GB/s",
  "Compute (%)",
  "Memory (%)",
  "Limit",
  "Quadrant",
];
const SOL_COLUMNS: readonly ColumnOf<"sol">[] = [
  "Level",
  "Op ID",
  "Kernel Name",
  "No. Calls",
  "Actual (ns)",
  "Speed of Light (ns)",
  "Efficiency (%)",
  "Potential (ns)",
  "Limit",
  "Number Format",
];
const KEY: readonly ColumnOf<"roofline">[] = ["Op ID"];

const TABS = [
  { id: "roofline", label: "Roofline" },
  { id: "sol", label: "Speed of light" },
] as const;

function View() {
  const [tab] = useParam("tab");
  const shown = tab === "sol" ? "sol" : "roofline";
  return (
    <>
      <ViewHead
        title="Roofline"
        about="What each op computes and moves, how fast it does so, and which of the GPU's limits it runs into."
      />
      <div className="stack">
        <Loaded state={useRoofline()} lines={10}>
          {(data) => <ChartPanel data={data} />}
        </Loaded>
        <div>
          <Tabs
            label="Tables"
            tabs={TABS}
            selected={shown}
            onSelect={(id) => setParams({ tab: id === "roofline" ? null : id })}
          >
            {shown === "sol" ? (
              <Panel
                key="sol"
                title="Speed of light"
                className="flush"
                doc="How long ops and kernels take against the least that the GPU's peaks allow."
              >
                <DataTable
                  report="sol"
                  label="Speed of light"
                  prefix="s"
                  columns={SOL_COLUMNS}
                  selectable
                  details
                />
              </Panel>
            ) : (
              <Panel key="roofline" title="Ops" className="flush">
                <DataTable
                  report="roofline"
                  label="Roofline"
                  prefix="r"
                  columns={ROOFLINE_COLUMNS}
                  keys={KEY}
                  selectable
                />
              </Panel>
            )}
          </Tabs>
        </div>
      </div>
    </>
  );
}

function ChartPanel({ data }: { data: Roofline }) {
  const shown = data.points.filter(drawable).length;
  const hidden = data.points.length - shown;
  return (
    <Panel
      title={data.device === "" ? "Roofline" : data.device}
      doc="Across: work per byte moved. Up: work per second. The slope is the memory's limit, the flat lines are the units' limits by number format. Sizes show GPU time."
      actions={
        hidden > 0 && (
          <span className="muted">
            {plural(hidden, "op")} of hardly any arithmetic, such as copies, only in the table
          </span>
        )
      }
    >
      {data.ceilings.length === 0 && data.note !== "" && (
        <p className="muted">{sentence(data.note)}</p>
      )}
      {shown === 0 ? (
        <EmptyState
          title="Nothing to draw"
          why={
            data.note === ""
              ? "No op of the range has known arithmetic; record shapes to make it known (record_shapes=True)."
              : sentence(data.note)
          }
        />
      ) : (
        <RooflineChart data={data} />
      )}
    </Panel>
  );
}

const page: Page = {
  id: "roofline",
  title: "Roofline",
  order: 11,
  menu: "Ops",
  description: "How close ops come to the GPU's limits",
  View,
};
export default page;
