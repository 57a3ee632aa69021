import { type Dashboard, useDashboard } from "../../base/api";
import { resourceColor } from "../../base/colors";
import type { Page } from "../../base/page";
import { useTheme } from "../../base/theme";
import { formatPercent } from "../../base/units";
import { DataTable } from "../../widgets/data_table";
import { Panel, ViewHead } from "../../widgets/panel";
import { Meter } from "../../widgets/states";
import "./gpus.css";

function View() {
  const dashboard = useDashboard();
  const several = (dashboard.data?.gpu_utilization.gpus.length ?? 0) > 1;
  return (
    <>
      <ViewHead title="GPUs" about="GPU models, and how busy they were in the analyzed steps." />
      <div className="stack">
        {several && dashboard.data && <Utilization data={dashboard.data} />}
        <Panel title="Devices" className="flush">
          <DataTable
            report="gpus"
            label="GPUs"
            prefix="t"
            empty={{ title: "No GPUs", why: "The trace lists no GPU." }}
          />
        </Panel>
      </div>
    </>
  );
}

function Utilization({ data }: { data: Dashboard }) {
  const theme = useTheme();
  return (
    <Panel
      title="Utilization"
      doc="Share of the time of the analyzed steps in which at least one kernel ran on the GPU."
    >
      <ul className="gpu-bars">
        {data.gpu_utilization.gpus.map((gpu) => (
          <li key={gpu.gpu}>
            <span>{gpu.gpu}</span>
            <span className="muted">{gpu.name}</span>
            <Meter value={gpu.percent} color={resourceColor("tensor_cores", theme)} />
            <span className="number">
              {gpu.percent === null ? "n/a" : formatPercent(gpu.percent)}
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

const page: Page = {
  id: "gpus",
  title: "GPUs",
  order: 8,
  menu: "System",
  description: "What the GPUs are and how busy each was",
  View,
};
export default page;
