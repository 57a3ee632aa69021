import { type KeyboardEvent, useEffect, useId, useRef, useState } from "react";
import { useKeyOps } from "../../base/api";
import { formatCount } from "../../base/units";
import { shorten } from "../../widgets/table_cells";
import { useDebounced } from "../../widgets/use_debounced";

interface KeyOpPickerProps {
  /** "" means "as detected in the profile". */
  value: string;
  onChange: (op: string) => void;
}

/** A field that searches the trace's ops; the most frequent ones come first. */
export function KeyOpPicker({ value, onChange }: KeyOpPickerProps) {
  const id = useId();
  const root = useRef<HTMLDivElement>(null);
  const [open, setOpen] = useState(false);
  const [search, setSearch] = useState("");
  const [draft, change, flush] = useDebounced(search, setSearch, 150);
  const [active, setActive] = useState(0);
  // Enter was pressed before the list was updated with the typed text.
  const [eager, setEager] = useState(false);
  const answer = useKeyOps(search);
  const settled = draft === search && !answer.loading;
  const ops = answer.data?.ops ?? [];
  const choices = [{ name: "", calls: 0 }, ...ops];

  useEffect(() => {
    if (!open) return;
    const outside = (event: PointerEvent) => {
      if (event.target instanceof Node && !root.current?.contains(event.target)) setOpen(false);
    };
    document.addEventListener("pointerdown", outside);
    return () => document.removeEventListener("pointerdown", outside);
  }, [open]);

  const take = (name: string) => {
    onChange(name);
    setOpen(false);
    setEager(false);
    change("");
    flush();
  };
  const takeActive = () => {
    const choice = choices[active];
    if (choice) take(choice.name);
    else setEager(false);
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs once, when the list has loaded
  useEffect(() => {
    if (eager && settled) takeActive();
  }, [eager, settled]);
  const move = (to: number) => {
    setActive(to);
    document.getElementById(`${id}-${to}`)?.scrollIntoView({ block: "nearest" });
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.key === "Escape" && open) setOpen(false);
    else if (event.key === "ArrowDown" && !open) setOpen(true);
    else if (event.key === "ArrowDown") move(Math.min(choices.length - 1, active + 1));
    else if (event.key === "ArrowUp") move(Math.max(0, active - 1));
    else if (event.key === "Enter" && open && settled) takeActive();
    else if (event.key === "Enter" && open) {
      setEager(true);
      flush();
    } else return;
    event.preventDefault();
  };

  return (
    <div className="key-op" ref={root}>
      <label htmlFor={id}>Key op</label>
      <input
        id={id}
        className="input"
        role="combobox"
        autoComplete="off"
        aria-expanded={open}
        aria-controls={`${id}-list`}
        aria-activedescendant={open ? `${id}-${active}` : undefined}
        placeholder={value === "" ? "as detected in the trace" : value}
        value={open ? draft : value}
        onFocus={() => setOpen(true)}
        onClick={() => setOpen(true)}
        onChange={(event) => {
          setOpen(true);
          setEager(false);
          setActive(event.target.value === "" ? 0 : 1);
          change(event.target.value);
        }}
        onKeyDown={onKey}
      />
      {open && (
        <div className="key-op-list" role="listbox" id={`${id}-list`} aria-label="Ops">
          {choices.map((op, i) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: keys are handled by the field
            <div
              key={op.name}
              id={`${id}-${i}`}
              role="option"
              tabIndex={-1}
              aria-selected={i === active}
              className="key-op-option"
              onClick={() => take(op.name)}
              onPointerMove={() => setActive(i)}
            >
              {op.name === "" ? (
                <span>As detected in the trace</span>
              ) : (
                <>
                  <span data-tip={op.name.length > 48 ? op.name : undefined}>
                    {shorten(op.name, 48)}
                  </span>
                  <span className="muted">{formatCount(op.calls)}×</span>
                </>
              )}
            </div>
          ))}
          {answer.data && answer.data.total > ops.length && (
            <p className="muted key-op-more">
              {formatCount(answer.data.total - ops.length)} more; type to search
            </p>
          )}
          {answer.data && ops.length === 0 && (
            <p className="muted key-op-more">No op contains this.</p>
          )}
        </div>
      )}
    </div>
  );
}
