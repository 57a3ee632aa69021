import { type Dashboard, useDashboard } from "../../base/api";
import type { Page } from "../../base/page";
import { DataTable } from "../../widgets/data_table";
import { Icon } from "../../widgets/icon";
import { Badge, Panel, ViewHead } from "../../widgets/panel";
import { Loaded, sentence } from "../../widgets/states";
import { ImportLog } from "./import_log";
import "./trust.css";

function View() {
  return (
    <>
      <ViewHead
        title="Trust"
        about="What was read, skipped and correlated, and how that affects the numbers."
      />
      <div className="stack">
        <Loaded state={useDashboard()} lines={3}>
          {(data) => <Limits data={data} />}
        </Loaded>
        <Panel title="Basis of the numbers" className="flush">
          <DataTable report="trust" label="Trust" prefix="t" selectable details />
        </Panel>
        <ImportLog />
      </div>
    </>
  );
}

function Limits({ data }: { data: Dashboard }) {
  const { sentence: text, limits } = data.trust;
  return (
    <Panel title="In short">
      <p className="trust-sentence">{sentence(text)}</p>
      {limits.length === 0 ? (
        <p className="row muted">
          <Icon name="check" /> There are no known limits of these numbers.
        </p>
      ) : (
        <ul className="limits">
          {limits.map((limit) => (
            <li key={limit.code + limit.text}>
              <Badge tone={limit.serious ? "danger" : "warn"}>
                {limit.serious ? "serious" : "note"}
              </Badge>
              <span>{sentence(limit.text)}</span>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}

const page: Page = {
  id: "trust",
  title: "Trust",
  order: 12,
  menu: "System",
  description: "How far the numbers can be trusted, and why",
  View,
};
export default page;
