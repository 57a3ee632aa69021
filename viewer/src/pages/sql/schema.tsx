import { useState } from "react";
import { Icon } from "../../widgets/icon";
import { Panel } from "../../widgets/panel";
import { Loaded } from "../../widgets/states";
import { useSql } from "../../widgets/use_sql";

interface SchemaProps {
  onInsert: (text: string) => void;
  onRun: (statement: string) => void;
}

/** Tables and views of the profile, with their columns. */
export function Schema(props: SchemaProps) {
  const tables = useSql("SHOW TABLES", 1000);
  const [filter, setFilter] = useState("");
  return (
    <Panel title="Tables and views" className="sql-schema" doc="docs/schema.md describes them.">
      <input
        className="input schema-filter"
        type="search"
        placeholder="Filter"
        aria-label="Filter tables"
        value={filter}
        onChange={(event) => setFilter(event.target.value)}
      />
      <Loaded state={tables} lines={8}>
        {(data) => (
          <ul>
            {data.rows
              .map((row) => String(row[0] ?? ""))
              .filter((name) => name.toLowerCase().includes(filter.toLowerCase()))
              .map((name) => (
                <Table key={name} name={name} {...props} />
              ))}
          </ul>
        )}
      </Loaded>
    </Panel>
  );
}

function Table({ name, onInsert, onRun }: SchemaProps & { name: string }) {
  const [open, setOpen] = useState(false);
  const columns = useSql(open ? `DESCRIBE ${quoted(name)}` : null, 1000);
  return (
    <li>
      <div className="schema-table">
        <button
          type="button"
          className="schema-name"
          aria-expanded={open}
          onClick={() => setOpen(!open)}
        >
          <Icon name={open ? "chevron" : "chevronRight"} size={12} />
          <code>{name}</code>
        </button>
        <button
          type="button"
          className="button quiet icon small"
          aria-label={`Show rows of ${name}`}
          data-tip="Show some rows"
          onClick={() => onRun(`FROM ${quoted(name)} LIMIT 100`)}
        >
          <Icon name="play" size={12} />
        </button>
      </div>
      {open && (
        <Loaded state={columns} lines={3}>
          {(data) => (
            <ul className="schema-columns">
              {data.rows.map((row) => (
                <li key={String(row[0])}>
                  <button type="button" onClick={() => onInsert(quoted(String(row[0])))}>
                    <code>{String(row[0])}</code>
                    <span className="muted">{String(row[1]).toLowerCase()}</span>
                  </button>
                </li>
              ))}
            </ul>
          )}
        </Loaded>
      )}
    </li>
  );
}

function quoted(name: string): string {
  return /^[a-z_][a-z0-9_]*$/.test(name) ? name : `"${name.replaceAll('"', '""')}"`;
}
