import { type KeyboardEvent, type ReactNode, useId } from "react";
import "./tabs.css";

export interface Tab {
  id: string;
  label: ReactNode;
}

export interface TabsProps {
  label: string;
  tabs: readonly Tab[];
  selected: string;
  onSelect: (id: string) => void;
  /** Content of the selected tab. */
  children: ReactNode;
}

export function Tabs({ label, tabs, selected, onSelect, children }: TabsProps) {
  const id = useId();
  const onKey = (event: KeyboardEvent<HTMLDivElement>) => {
    const at = tabs.findIndex((tab) => tab.id === selected);
    const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    const next = tabs[(at + step + tabs.length) % tabs.length];
    if (step === 0 || next === undefined) return;
    event.preventDefault();
    onSelect(next.id);
    event.currentTarget
      .querySelectorAll<HTMLElement>("[role=tab]")
      [(at + step + tabs.length) % tabs.length]?.focus();
  };
  return (
    <>
      <div className="tabs" role="tablist" aria-label={label} onKeyDown={onKey}>
        {tabs.map((tab) => (
          <button
            key={tab.id}
            type="button"
            role="tab"
            id={`${id}-${tab.id}`}
            aria-selected={tab.id === selected}
            aria-controls={`${id}-panel`}
            tabIndex={tab.id === selected ? 0 : -1}
            onClick={() => onSelect(tab.id)}
          >
            {tab.label}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${selected}`}>
        {children}
      </div>
    </>
  );
}

export interface Choice<T extends string> {
  id: T;
  label: string;
  tip?: string;
}

/** A choice among a few alternatives. */
export function Segmented<T extends string>({
  label,
  choices,
  selected,
  onSelect,
}: {
  label: string;
  choices: readonly Choice<T>[];
  selected: T;
  onSelect: (id: T) => void;
}) {
  return (
    <fieldset className="segmented">
      <legend className="visually-hidden">{label}</legend>
      {choices.map((choice) => (
        <button
          key={choice.id}
          type="button"
          aria-pressed={choice.id === selected}
          data-tip={choice.tip}
          onClick={() => onSelect(choice.id)}
        >
          {choice.label}
        </button>
      ))}
    </fieldset>
  );
}
