import { DetailsPane, Fields } from "./details_pane";
import { Icon } from "./icon";
import { linkHref } from "./table_body";
import { CellContent, columnLabel } from "./table_cells";
import type { Rows, TableRow } from "./table_rows";

export interface RowDetailsProps {
  rows: Rows;
  keyOf: (row: TableRow, index: number) => string;
  selected: string;
  onClose: () => void;
}

/** Every cell of the selected row, not shortened. */
export function RowDetails({ rows, keyOf, selected, onClose }: RowDetailsProps) {
  const row = find(rows, keyOf, selected);
  if (row === undefined) return null;
  return (
    <DetailsPane title="Selected row" onClose={onClose}>
      {row.link && (
        <p className="details-action">
          <a className="button" href={linkHref(row.link)}>
            <Icon name="timeline" size={14} /> Show in the timeline
          </a>
        </p>
      )}
      <Fields
        fields={rows.columns.map((column, i) => {
          const cell = row.cells[i] ?? null;
          const text = typeof cell === "string" && cell !== "";
          return {
            name: columnLabel(column),
            value: text ? cell : <CellContent cell={cell} column={column} />,
          };
        })}
      />
    </DetailsPane>
  );
}

function find(rows: Rows, keyOf: RowDetailsProps["keyOf"], selected: string): TableRow | undefined {
  for (let i = 0; i < rows.count; i += 1) {
    const row = rows.row(i);
    if (row && keyOf(row, rows.first + i) === selected) return row;
  }
  return undefined;
}
