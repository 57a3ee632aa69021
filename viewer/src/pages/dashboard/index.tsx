import { type Dashboard, useDashboard } from "../../base/api";
import type { Page } from "../../base/page";
import { Loaded } from "../../widgets/states";
import { Headline } from "./headline";
import { AdvicePanel, GuidancePanel, SystemPanel, TopOpsPanel } from "./lists";
import {
  IdlePanel,
  IterationsPanel,
  KernelsPanel,
  ResourcesPanel,
  SummaryPanel,
  TensorCoresPanel,
  UtilizationPanel,
} from "./panels";
import "./dashboard.css";

function View() {
  return (
    <Loaded state={useDashboard()} lines={12}>
      {(data: Dashboard) => (
        <>
          <h1 className="visually-hidden">Dashboard of {data.profile_name}</h1>
          <Headline data={data} />
          <div className="grid">
            <UtilizationPanel data={data} />
            <ResourcesPanel data={data} />
            <IdlePanel data={data} />
            <IterationsPanel data={data} />
            <SummaryPanel data={data} />
            <div className="span-8 column">
              <AdvicePanel data={data} />
              <GuidancePanel data={data} />
            </div>
            <div className="span-4 column">
              <KernelsPanel data={data} />
              <TensorCoresPanel data={data} />
              <SystemPanel data={data} />
            </div>
            <TopOpsPanel data={data} />
          </div>
        </>
      )}
    </Loaded>
  );
}

const page: Page = {
  id: "dashboard",
  title: "Dashboard",
  order: 1,
  description: "How long a step takes, what it waits for, and what to change first",
  View,
};
export default page;
