import { useEffect } from "react";
import { type ReportInfo, useReports } from "../../base/api";
import type { Page } from "../../base/page";
import { navigate, setParams, useParam } from "../../base/route";
import { DataTable } from "../../widgets/data_table";
import { Panel, ViewHead } from "../../widgets/panel";
import { EmptyState, Loaded, sentence } from "../../widgets/states";
import "./reports.css";

function View() {
  return (
    <>
      <ViewHead
        title="All reports"
        about="Every report of the command line (`warpsight report --list`), as a table."
      />
      <Loaded state={useReports()} lines={10}>
        {(data) => <Reports list={data.reports} />}
      </Loaded>
    </>
  );
}

function Reports({ list }: { list: readonly ReportInfo[] }) {
  const [id] = useParam("report");
  const first = list[0]?.id;
  useEffect(() => {
    if (id === "" && first !== undefined) setParams({ report: first });
  }, [id, first]);
  const chosen = list.find((report) => report.id === id);
  return (
    <div className="reports">
      <nav className="report-list" aria-label="Reports">
        <ul>
          {list.map((report) => (
            <li key={report.id}>
              <button
                type="button"
                aria-current={report.id === id ? "true" : undefined}
                onClick={() => navigate({ params: { report: report.id } })}
              >
                <span>{report.title}</span>
                <code>{report.id}</code>
              </button>
            </li>
          ))}
        </ul>
      </nav>
      <div className="report-content">
        {chosen ? (
          <Panel title={chosen.title} className="flush">
            <p className="report-about muted">{sentence(chosen.description)}</p>
            <DataTable
              key={chosen.id}
              report={chosen.id}
              label={chosen.title}
              prefix="t"
              selectable
              details
            />
          </Panel>
        ) : (
          id !== "" && (
            <EmptyState
              title={`There is no report "${id}"`}
              why="The link may come from another version of Warpsight. Choose one on the left."
            />
          )
        )}
      </div>
    </div>
  );
}

const page: Page = {
  id: "reports",
  title: "All reports",
  order: 14,
  menu: "Data",
  description: "Every report of the command line, as a table",
  View,
};
export default page;
