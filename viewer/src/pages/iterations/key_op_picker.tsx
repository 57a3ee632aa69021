import { type KeyboardEvent, useEffect, useId, useRef, useState } from "react";
import { useKeyOps } from "../../base/api";
import { formatCount } from "../../base/units";
import { shorten } from "../../widgets/table_cells";
import { useDebounced } from "../../widgets/use_debounced";

interface KeyOpPickerProps {
  /** "" is "as the profile found them". */
  value: string;
  onChange: (op: string) => void;
}

/** A field that searches the trace's ops; the most frequent ones come first. */
export function KeyOpPicker({ value, onChange }: KeyOpPickerProps) {
  const id = useId();
  const root = useRef<HTMLDivElement>(null);
  const [open, setOpen] = useState(false);
  const [search, setSearch] = useState("");
  const [draft, change] = useDebounced(search, setSearch, 150);
  const [active, setActive] = useState(0);
  const answer = useKeyOps(search);
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
    change("");
    setSearch("");
  };
  const move = (to: number) => {
    setActive(to);
    document.getElementById(`${id}-${to}`)?.scrollIntoView({ block: "nearest" });
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.key === "Escape" && open) setOpen(false);
    else if (event.key === "ArrowDown" && !open) setOpen(true);
    else if (event.key === "ArrowDown") move(Math.min(choices.length - 1, active + 1));
    else if (event.key === "ArrowUp") move(Math.max(0, active - 1));
    else if (event.key === "Enter" && open) take(choices[active]?.name ?? "");
    else return;
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
        placeholder={value === "" ? "as found in the trace" : value}
        value={open ? draft : value}
        onFocus={() => setOpen(true)}
        onClick={() => setOpen(true)}
        onChange={(event) => {
          setOpen(true);
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
              onPointerEnter={() => setActive(i)}
            >
              {op.name === "" ? (
                <span>As found in the trace</span>
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
