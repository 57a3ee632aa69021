import { type ReactNode, useId } from "react";
import { prose } from "./prose";
import { Definition } from "./tip";
import "./panel.css";

export interface PanelProps {
  title: string;
  /** A description of the panel's content, behind a sign next to the title. */
  doc?: string;
  /** Controls at the right end of the title. */
  actions?: ReactNode;
  className?: string;
  children: ReactNode;
}

export function Panel({ title, doc, actions, className = "", children }: PanelProps) {
  const id = useId();
  return (
    <section className={`panel ${className}`} aria-labelledby={id}>
      <header className="panel-head">
        <h2 id={id}>{title}</h2>
        <Definition of={title} text={doc} />
        <span className="spacer" />
        {actions}
      </header>
      <div className="panel-body">{children}</div>
    </section>
  );
}

export interface ViewHeadProps {
  title: string;
  /** A sentence about the view's content. */
  about?: ReactNode;
  children?: ReactNode;
}

/** Title of a view. */
export function ViewHead({ title, about, children }: ViewHeadProps) {
  return (
    <header className="view-head">
      <div>
        <h1>{title}</h1>
        {about !== undefined && <p className="muted">{prose(about)}</p>}
      </div>
      <span className="spacer" />
      {children}
    </header>
  );
}

export type BadgeTone = "plain" | "ok" | "warn" | "danger" | "accent";

export function Badge({
  tone = "plain",
  tip,
  children,
}: {
  tone?: BadgeTone;
  tip?: string;
  children: ReactNode;
}) {
  return (
    <span className={`badge ${tone}`} data-tip={tip}>
      {children}
    </span>
  );
}
