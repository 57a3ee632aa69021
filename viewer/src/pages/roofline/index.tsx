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
        about="FLOPs and bytes of each op, its achieved rates, and which GPU limit it reaches."
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
                doc="Time of ops and kernels compared with the minimum that the GPU's peaks allow."
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
      doc="x axis: FLOPs per byte moved; y axis: FLOPs per second. The slope is the memory limit, the flat lines are the compute limits by number format. Sizes show GPU time."
      actions={
        hidden > 0 && (
          <span className="muted">
            {plural(hidden, "op")} with almost no FLOPs {hidden === 1 ? "is" : "are"} listed in the
            table only
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
              ? "No op of the range has known FLOPs; record shapes to get them (record_shapes=True)."
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
