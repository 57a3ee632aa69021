import { useMemo, useRef, useState } from "react";
import { paths, type ReportAnswer, type SqlAnswer, useProfile, useScope } from "../../base/api";
import type { Page } from "../../base/page";
import { useParam } from "../../base/route";
import { getSource } from "../../base/source";
import { formatFixed, plural } from "../../base/units";
import { RowTable } from "../../widgets/data_table";
import { Icon } from "../../widgets/icon";
import { Menu } from "../../widgets/menu";
import { Panel, ViewHead } from "../../widgets/panel";
import { EmptyState, ErrorCard, Skeleton } from "../../widgets/states";
import { localRows } from "../../widgets/table_rows";
import { useSql } from "../../widgets/use_sql";
import { EXAMPLES } from "./examples";
import { readHistory, remember } from "./history";
import { Schema } from "./schema";
import "./sql.css";

const LIMIT = 10_000;

function View() {
  const profile = useProfile();
  const offline = getSource().offline;
  return (
    <>
      <ViewHead
        title="SQL"
        about="Query the profile. It is a DuckDB database. Read-only; queries cannot reach files or the network."
      />
      {offline || profile.data?.sql === false ? (
        <Panel title="SQL">
          <EmptyState
            title="No database here"
            why={
              offline
                ? "This page is an offline file without a server. Open the profile with `warpsight view` to query it with SQL."
                : "This trace was not saved as a profile. `warpsight import TRACE -o run.warpsight` creates one that can be queried with SQL."
            }
          />
        </Panel>
      ) : (
        <Editor />
      )}
    </>
  );
}

function Editor() {
  const [statement, setStatement] = useParam("q");
  const [draft, setDraft] = useState(statement === "" ? (EXAMPLES[0]?.sql ?? "") : statement);
  const [run, setRun] = useState(0);
  const field = useRef<HTMLTextAreaElement>(null);
  const answer = useSql(statement === "" ? null : statement, LIMIT);

  const start = (text: string) => {
    const trimmed = text.trim();
    if (trimmed === "") return;
    remember(trimmed);
    setDraft(text);
    if (trimmed === statement) answer.refresh();
    else setStatement(trimmed, "push");
    setRun((n) => n + 1);
  };
  const insert = (text: string) => {
    const area = field.current;
    const at = area?.selectionStart ?? draft.length;
    const end = area?.selectionEnd ?? at;
    setDraft(draft.slice(0, at) + text + draft.slice(end));
    area?.focus();
  };

  return (
    <div className="sql">
      <div className="stack sql-main">
        <Panel
          title="Statement"
          actions={
            <>
              <Menu
                align="right"
                label="Examples"
                className="button quiet"
                items={EXAMPLES.map((example) => ({
                  id: example.title,
                  label: example.title,
                  onSelect: () => start(example.sql),
                }))}
              />
              <Menu
                key={run}
                align="right"
                label="History"
                className="button quiet"
                items={historyItems(start)}
              />
            </>
          }
        >
          <textarea
            ref={field}
            className="input sql-field"
            aria-label="SQL statement"
            spellCheck={false}
            rows={Math.min(14, Math.max(5, draft.split("\n").length + 1))}
            value={draft}
            onChange={(event) => setDraft(event.target.value)}
            onKeyDown={(event) => {
              if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
                event.preventDefault();
                start(draft);
              }
            }}
          />
          <div className="row">
            <button
              type="button"
              className="button primary"
              disabled={draft.trim() === "" || answer.loading}
              onClick={() => start(draft)}
            >
              <Icon name="play" size={14} /> Run
            </button>
            <span className="muted">Ctrl+Enter</span>
            <span className="spacer" />
            <span className="muted" role="status">
              {answer.loading && "Running; queries are stopped after 10 seconds"}
              {!answer.loading && answer.data && resultLine(answer.data)}
            </span>
          </div>
        </Panel>
        {answer.error && (
          <ErrorCard
            title={
              answer.error.code === "timeout" ? "Stopped after 10 seconds" : "The query failed"
            }
            error={answer.error}
          />
        )}
        {answer.loading && !answer.data && <Skeleton lines={6} />}
        {answer.data && !answer.error && <Result data={answer.data} statement={statement} />}
      </div>
      <Schema onInsert={insert} onRun={start} />
    </div>
  );
}

function historyItems(start: (text: string) => void) {
  const history = readHistory();
  if (history.length === 0)
    return [{ id: "none", label: "No query has been run yet", disabled: true }];
  return history.map((text) => ({
    id: text,
    label: text.replace(/\s+/g, " ").slice(0, 60),
    tip: text,
    onSelect: () => start(text),
  }));
}

function resultLine(data: SqlAnswer): string {
  const rows = plural(data.rows.length, "row");
  const cut = data.truncated ? `first ${rows}; add LIMIT or conditions to see others` : rows;
  return `${cut} in ${formatFixed(data.elapsed_ms, 1)} ms`;
}

function Result({ data, statement }: { data: SqlAnswer; statement: string }) {
  const { profile } = useScope();
  const source = useMemo(
    () =>
      localRows(statement, asReport(data), (format) =>
        getSource().postBytes(paths.sqlExport(profile), statement, {
          params: { format },
          contentType: "text/plain",
        }),
      ),
    [data, statement, profile],
  );
  return (
    <Panel title="Result" className="flush">
      <RowTable
        key={statement}
        source={source}
        label="Result"
        prefix="t"
        selectable
        details
        empty={{ title: "No rows", why: "The query returned no rows." }}
      />
    </Panel>
  );
}

/** The table widget shows reports, so a result is converted to a report with its own columns. */
function asReport(data: SqlAnswer): ReportAnswer {
  return {
    report: "sql",
    title: "Result",
    columns: data.columns.map((column) => ({
      name: column.name,
      doc: column.type,
      type:
        column.kind === "boolean"
          ? "boolean"
          : column.kind !== "number"
            ? "text"
            : /INT/i.test(column.type)
              ? "integer"
              : "real",
    })),
    total: data.rows.length,
    filtered: data.rows.length,
    offset: 0,
    rows: data.rows,
    links: data.rows.map(() => null),
    notes: [],
  };
}

const page: Page = {
  id: "sql",
  title: "SQL",
  order: 13,
  menu: "Data",
  description: "Query the profile with SQL",
  View,
};
export default page;
