import { type SqlAnswer, useProfile } from "../../base/api";
import { getSource } from "../../base/source";
import { Panel } from "../../widgets/panel";
import { Loaded } from "../../widgets/states";
import { useSql } from "../../widgets/use_sql";

/** The records that the importer skipped, and why, from the profile itself. */
export function ImportLog() {
  const profile = useProfile();
  const possible = !getSource().offline && profile.data?.sql === true;
  const answer = useSql(possible ? "FROM import_problems" : null, 200);
  if (!possible || answer.error !== null || answer.data?.rows.length === 0) return null;
  return (
    <Panel title="Import log" className="flush" doc="Records that could not be used, by kind.">
      <Loaded state={answer} lines={3}>
        {(data: SqlAnswer) => (
          <div className="plain-scroll">
            <table className="plain-table">
              <thead>
                <tr>
                  {data.columns.map((column) => (
                    <th key={column.name} scope="col">
                      {column.name.replaceAll("_", " ")}
                    </th>
                  ))}
                </tr>
              </thead>
              <tbody>
                {data.rows.map((row, i) => (
                  <tr key={String(i)}>
                    {row.map((cell, j) => (
                      <td key={data.columns[j]?.name}>{cell === null ? "–" : String(cell)}</td>
                    ))}
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        )}
      </Loaded>
    </Panel>
  );
}
