import { type ReactNode, useId } from "react";
import { Icon } from "./icon";
import "./details_pane.css";

export interface DetailsPaneProps {
  title: string;
  onClose: () => void;
  children: ReactNode;
}

/** Details of the selection, beside the content. */
export function DetailsPane({ title, onClose, children }: DetailsPaneProps) {
  const id = useId();
  return (
    <aside className="details" aria-labelledby={id}>
      <header className="details-head">
        <h2 id={id}>{title}</h2>
        <span className="spacer" />
        <button
          type="button"
          className="button quiet icon"
          aria-label="Close the details"
          onClick={onClose}
        >
          <Icon name="close" />
        </button>
      </header>
      <div className="details-body">{children}</div>
    </aside>
  );
}

export interface Field {
  name: string;
  value: ReactNode;
  tip?: string;
}

export function Fields({ fields }: { fields: readonly Field[] }) {
  return (
    <dl className="fields">
      {fields.map((field) => (
        <div key={field.name}>
          <dt>{field.name}</dt>
          <dd data-tip={field.tip}>{field.value}</dd>
        </div>
      ))}
    </dl>
  );
}
