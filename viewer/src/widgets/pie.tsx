import { useState } from "react";
import { type Exact, exact } from "../base/exact";
import { formatDuration, formatExactNs, formatPercent } from "../base/units";
import "./pie.css";

export interface Slice {
  id: string;
  name: string;
  ns: number;
  color: string;
  /** Its share, if that does not refer to the sum of all slices. */
  percent?: number | null;
}

export interface PieProps {
  label: string;
  slices: readonly Slice[];
  /** A large text in the center, and its label. */
  center?: { value: string; caption: string; exact?: Exact };
  /** The list of slices in the server's response. */
  field?: string;
  size?: number;
}

const INNER = 0.66;
const GAP = 0.012;

/** A ring with a legend, which names every value as text and switches slices on and off. */
export function Pie({ label, slices, center, field, size = 120 }: PieProps) {
  const [off, setOff] = useState<ReadonlySet<string>>(new Set());
  const [hot, setHot] = useState<string | null>(null);
  const whole = slices.reduce((sum, slice) => sum + slice.ns, 0);
  const shareOf = (slice: Slice) => slice.percent ?? (100 * slice.ns) / whole;
  const present = slices.filter((slice) => slice.ns > 0);
  const absent = slices.filter((slice) => slice.ns <= 0);
  const shown = present.filter((slice) => !off.has(slice.id));
  const hovered = present.find((slice) => slice.id === hot);
  const middle = hovered
    ? { value: formatPercent(shareOf(hovered)), caption: hovered.name, exact: undefined }
    : center;

  const toggle = (id: string) => {
    const next = new Set(off);
    if (!next.delete(id)) next.add(id);
    if (next.size < present.length) setOff(next);
  };

  return (
    <figure className="pie" aria-label={label}>
      <div className="pie-ring" style={{ width: size, height: size }}>
        <svg viewBox="-1 -1 2 2" width={size} height={size} aria-hidden="true" focusable="false">
          <Ring slices={shown} hot={hot} onHot={setHot} />
        </svg>
        {middle && (
          <div className="pie-center" aria-hidden={hovered ? true : undefined}>
            <b {...middle.exact}>{middle.value}</b>
            <span>{middle.caption}</span>
          </div>
        )}
      </div>
      <figcaption>
        <ul className="legend">
          {present.map((slice) => (
            <li key={slice.id}>
              <button
                type="button"
                aria-pressed={!off.has(slice.id)}
                onClick={() => toggle(slice.id)}
                onPointerEnter={() => setHot(slice.id)}
                onPointerLeave={() => setHot(null)}
                onFocus={() => setHot(slice.id)}
                onBlur={() => setHot(null)}
                data-tip={formatExactNs(slice.ns)}
              >
                <span className="swatch" style={{ background: slice.color }} />
                <span className="legend-name">{slice.name}</span>
                <span
                  className="legend-value"
                  {...(field && exact(`${field}.${slice.id}.ns`, slice.ns))}
                >
                  {formatDuration(slice.ns)}
                </span>
                <span
                  className="legend-percent"
                  {...(field && exact(`${field}.${slice.id}.percent`, shareOf(slice)))}
                >
                  {formatPercent(shareOf(slice))}
                </span>
              </button>
            </li>
          ))}
        </ul>
        {absent.length > 0 && (
          <p className="legend-none muted">
            Not seen: {absent.map((slice) => slice.name).join(", ")}
          </p>
        )}
      </figcaption>
    </figure>
  );
}

function Ring(props: {
  slices: readonly Slice[];
  hot: string | null;
  onHot: (id: string | null) => void;
}) {
  const sum = props.slices.reduce((total, slice) => total + slice.ns, 0);
  let at = 0;
  return props.slices.map((slice) => {
    const from = at / sum;
    at += slice.ns;
    return (
      <path
        key={slice.id}
        d={arc(from, at / sum)}
        fill={slice.color}
        fillRule="evenodd"
        opacity={props.hot === null || props.hot === slice.id ? 1 : 0.35}
        onPointerEnter={() => props.onHot(slice.id)}
        onPointerLeave={() => props.onHot(null)}
      />
    );
  });
}

/** An arc of the ring; start and end are shares of the turn, clockwise from the top. */
function arc(from: number, to: number): string {
  if (to - from > 0.9999) {
    return `M0,-1A1,1 0 1 1 0,1A1,1 0 1 1 0,-1ZM0,${-INNER}A${INNER},${INNER} 0 1 1 0,${INNER}A${INNER},${INNER} 0 1 1 0,${-INNER}Z`;
  }
  const gap = Math.min(GAP, (to - from) * 0.5);
  const a = 2 * Math.PI * from + gap;
  const b = 2 * Math.PI * to - gap;
  const large = b - a > Math.PI ? 1 : 0;
  const point = (angle: number, radius: number) =>
    `${(radius * Math.sin(angle)).toFixed(4)},${(-radius * Math.cos(angle)).toFixed(4)}`;
  return (
    `M${point(a, 1)}A1,1 0 ${large} 1 ${point(b, 1)}L${point(b, INNER)}` +
    `A${INNER},${INNER} 0 ${large} 0 ${point(a, INNER)}Z`
  );
}
