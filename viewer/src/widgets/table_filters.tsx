import { useState } from "react";
import type { Column } from "../base/api";
import { columnLabel } from "./table_cells";
import { formatRange, splitRange } from "./table_state";
import { useDebounced } from "./use_debounced";

export interface ColumnFilterProps {
  column: Column;
  value: string;
  onChange: (value: string) => void;
}

/** Numbers: from and to; booleans: yes or no; texts: a part of the text. */
export function ColumnFilter(props: ColumnFilterProps) {
  if (props.column.type === "text") return <TextFilter {...props} />;
  if (props.column.type === "boolean") return <BooleanFilter {...props} />;
  return <RangeFilter {...props} />;
}

function TextFilter({ column, value, onChange }: ColumnFilterProps) {
  const [draft, change, flush] = useDebounced(value, onChange);
  return (
    <input
      className="input filter"
      type="search"
      value={draft}
      placeholder="contains"
      aria-label={`${columnLabel(column)} contains`}
      data-tip="Text that the cell contains; with a leading =, text that the cell equals"
      onChange={(event) => change(event.target.value)}
      onKeyDown={(event) => event.key === "Enter" && flush()}
    />
  );
}

function BooleanFilter({ column, value, onChange }: ColumnFilterProps) {
  return (
    <select
      className="input filter"
      value={value}
      aria-label={`${columnLabel(column)} is`}
      onChange={(event) => onChange(event.target.value)}
    >
      <option value="">any</option>
      <option value="1">yes</option>
      <option value="0">no</option>
    </select>
  );
}

function RangeFilter({ column, value, onChange }: ColumnFilterProps) {
  const [min, max] = splitRange(value);
  const [invalid, setInvalid] = useState(false);
  const apply = (low: string, high: string) => {
    const range = formatRange(low, high);
    setInvalid(range === null);
    if (range !== null) onChange(range);
  };
  const [low, changeLow, flushLow] = useDebounced(min, (text) => apply(text, max));
  const [high, changeHigh, flushHigh] = useDebounced(max, (text) => apply(min, text));
  const hint = column.type === "duration" ? "in ns, or with a unit: 20 us, 1.5 ms" : undefined;
  return (
    <span className="filter-range">
      <input
        className="input filter"
        inputMode="decimal"
        value={low}
        placeholder="min"
        aria-label={`${columnLabel(column)} at least`}
        aria-invalid={invalid || undefined}
        data-tip={hint}
        onChange={(event) => changeLow(event.target.value)}
        onKeyDown={(event) => event.key === "Enter" && flushLow()}
      />
      <input
        className="input filter"
        inputMode="decimal"
        value={high}
        placeholder="max"
        aria-label={`${columnLabel(column)} at most`}
        aria-invalid={invalid || undefined}
        data-tip={hint}
        onChange={(event) => changeHigh(event.target.value)}
        onKeyDown={(event) => event.key === "Enter" && flushHigh()}
      />
    </span>
  );
}
