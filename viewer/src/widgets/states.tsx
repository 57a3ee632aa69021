import { Component, type ErrorInfo, type ReactNode } from "react";
import type { ApiState } from "../base/api";
import type { ApiError } from "../base/source";
import { Icon, type IconName } from "./icon";
import { prose } from "./prose";
import "./states.css";

export interface EmptyStateProps {
  title: string;
  /** Why there is nothing to show, and how to change that. */
  why: ReactNode;
  children?: ReactNode;
}

export function EmptyState({ title, why, children }: EmptyStateProps) {
  return (
    <div className="empty">
      <p className="empty-title">{title}</p>
      <p className="muted">{prose(why)}</p>
      {children}
    </div>
  );
}

export interface ErrorCardProps {
  title?: string;
  error: ApiError | Error;
  onRetry?: () => void;
}

export function ErrorCard({ title = "This could not be shown", error, onRetry }: ErrorCardProps) {
  return (
    <div className="error-card" role="alert">
      <Icon name="error" />
      <div>
        <p className="empty-title">{title}</p>
        <p>{prose(sentence(error.message))}</p>
        {onRetry && (
          <button type="button" className="button" onClick={onRetry}>
            Try again
          </button>
        )}
      </div>
    </div>
  );
}

export interface ErrorPageProps {
  title: string;
  icon?: IconName;
  children: ReactNode;
}

/** A full page that explains what is wrong and what to do. */
export function ErrorPage({ title, icon = "error", children }: ErrorPageProps) {
  return (
    <div className="error-page">
      <div className="error-page-box">
        <span className="error-page-icon">
          <Icon name={icon} size={28} />
        </span>
        <h1>{title}</h1>
        {children}
      </div>
    </div>
  );
}

export function sentence(text: string): string {
  const trimmed = text.trim();
  if (trimmed === "") return "";
  const begun = trimmed.charAt(0).toUpperCase() + trimmed.slice(1);
  return /[.!?]$/.test(begun) ? begun : `${begun}.`;
}

interface BoundaryProps {
  /** A new value clears the error. */
  resetKey: string;
  children: ReactNode;
}

/** Shows an error card instead of a view that threw an exception. */
export class ErrorBoundary extends Component<BoundaryProps, { error: Error | null }> {
  override state: { error: Error | null } = { error: null };

  static getDerivedStateFromError(error: Error) {
    return { error };
  }

  override componentDidCatch(error: Error, info: ErrorInfo) {
    console.error(error, info.componentStack);
  }

  override componentDidUpdate(previous: BoundaryProps) {
    if (previous.resetKey !== this.props.resetKey && this.state.error !== null) {
      this.setState({ error: null });
    }
  }

  override render() {
    if (this.state.error === null) return this.props.children;
    return (
      <ErrorCard
        title="This view crashed"
        error={this.state.error}
        onRetry={() => this.setState({ error: null })}
      />
    );
  }
}

/** Placeholder bars during loading; shown only if it takes a moment. */
export function Skeleton({ lines = 4 }: { lines?: number }) {
  return (
    <div className="skeleton" role="status">
      <span className="visually-hidden">Loading</span>
      {Array.from({ length: lines }, (_, i) => (
        <span key={String(i)} style={{ width: `${92 - ((i * 23) % 45)}%` }} />
      ))}
    </div>
  );
}

/** Shows content that depends on a response, after it has arrived. */
export function Loaded<T>({
  state,
  lines,
  children,
}: {
  state: ApiState<T>;
  lines?: number;
  children: (data: T) => ReactNode;
}) {
  if (state.error !== null) return <ErrorCard error={state.error} onRetry={state.refresh} />;
  if (state.data === undefined) return <Skeleton lines={lines} />;
  return children(state.data);
}

export interface ProgressProps {
  label: string;
  done: number;
  /** 0 means "unknown". */
  total: number;
}

export function Progress({ label, done, total }: ProgressProps) {
  const known = total > 0;
  const percent = known ? Math.min(100, (100 * done) / total) : undefined;
  return (
    <div className="progress">
      <div className="row">
        <span>{label}</span>
        <span className="spacer" />
        {percent !== undefined && <span className="muted">{Math.floor(percent)} %</span>}
      </div>
      <div
        className={`progress-track ${known ? "" : "unknown"}`}
        role="progressbar"
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={percent}
      >
        <span style={known ? { width: `${percent}%` } : undefined} />
      </div>
    </div>
  );
}

export function Meter({
  value,
  max = 100,
  color,
  label,
}: {
  value: number | null;
  max?: number;
  color?: string;
  label?: string;
}) {
  const share = value === null || !(max > 0) ? 0 : Math.max(0, Math.min(1, value / max));
  const bar = <span style={{ width: `${100 * share}%`, background: color }} />;
  return label ? (
    <span className="meter" role="img" aria-label={label}>
      {bar}
    </span>
  ) : (
    <span className="meter" aria-hidden="true">
      {bar}
    </span>
  );
}
