import { useApi } from "../base/api";
import type { NamedShare, NamedSum, SelectionSum } from "../base/api_types";
import { categoryColor } from "../base/colors";
import { useTheme } from "../base/theme";
import { formatCount, formatDuration, formatMoment, formatShare, plural } from "../base/units";
import { EmptyState, ErrorCard, Skeleton } from "../widgets/states";
import { labelOf } from "./text_fit";
import type { Stretch } from "./timeline_model";
import type { TimelineHandle } from "./use_model";

function ShareBar({
  shares,
  color,
  label,
}: {
  shares: readonly NamedShare[];
  color: (id: string) => string;
  label: string;
}) {
  const total = shares.reduce((sum, share) => sum + share.ns, 0);
  const shown = shares.filter((share) => share.ns > 0);
  if (total === 0) return null;
  return (
    <>
      <div className="tl-share-bar" role="img" aria-label={label}>
        {shown.map((share) => (
          <span
            key={share.id}
            style={{ width: `${(100 * share.ns) / total}%`, background: color(share.id) }}
          />
        ))}
      </div>
      <ul className="tl-shares">
        {shown.map((share) => (
          <li key={share.id}>
            <span className="tl-dot" style={{ background: color(share.id) }} />
            <span className="tl-list-name tl-share-name">{share.name}</span>
            <span className="number">{formatDuration(share.ns)}</span>
            <span className="number muted">{formatShare(share.ns, total)}</span>
          </li>
        ))}
      </ul>
    </>
  );
}

function Top({
  title,
  count,
  top,
  handle,
}: {
  title: string;
  count: number;
  top: readonly NamedSum[];
  handle: TimelineHandle;
}) {
  if (count === 0) return null;
  return (
    <section>
      <h3>
        {title} <span className="muted">{formatCount(count)}</span>
      </h3>
      <ul className="tl-list">
        {top.map((row) => (
          <li key={row.name}>
            <button
              type="button"
              disabled={row.event === null}
              title={row.name}
              onClick={() => row.event && void handle.model.selectEvent(row.event, "show")}
            >
              <span className="tl-list-name">{labelOf(row.name)}</span>
              <span className="muted number">{formatCount(row.count)}×</span>
              <span className="number">{formatDuration(row.gpu_ns ?? row.cpu_ns ?? 0)}</span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Sums({ sums, handle }: { sums: SelectionSum; handle: TimelineHandle }) {
  const theme = useTheme();
  const nothing = sums.kernels.count === 0 && sums.ops.count === 0 && sums.api.count === 0;
  return (
    <>
      <section>
        <h3>
          GPU time{" "}
          <span className="muted">{sums.gpus === 1 ? "" : `of ${plural(sums.gpus, "GPU")}`}</span>
        </h3>
        {sums.gpus === 0 ? (
          <p className="muted">This trace has no GPU work.</p>
        ) : (
          <ShareBar
            shares={sums.resources}
            color={(id) => categoryColor(id, theme)}
            label="How the time of the interval was used"
          />
        )}
      </section>
      <Top title="Kernels" count={sums.kernels.count} top={sums.kernels.top} handle={handle} />
      <Top title="Ops" count={sums.ops.count} top={sums.ops.top} handle={handle} />
      <Top title="API calls" count={sums.api.count} top={sums.api.top} handle={handle} />
      {nothing && (
        <EmptyState title="Nothing happened here" why="The trace has no events in this interval." />
      )}
    </>
  );
}

/** The time breakdown of the selected interval. */
export function StretchPane({ handle, stretch }: { handle: TimelineHandle; stretch: Stretch }) {
  const { model, actions } = handle;
  const sums = useApi<SelectionSum>(
    `${model.api.base}/selection`,
    { start: stretch.start, end: stretch.end },
    { keepPrevious: true },
  );
  return (
    <>
      <div className="tl-event-head">
        <h2>{formatDuration(stretch.end - stretch.start)}</h2>
        <span className="muted">
          from {formatMoment(stretch.start)} to {formatMoment(stretch.end)}
        </span>
      </div>
      <div className="row wrap">
        <button
          type="button"
          className="button"
          onClick={() => actions.showStretch(stretch.start, stretch.end)}
        >
          Zoom to it
        </button>
        <button
          type="button"
          className="button"
          onClick={() => {
            model.setStretch(null);
            model.patch({ pane: null });
          }}
        >
          Clear
        </button>
      </div>
      {sums.error !== null &&
        (sums.error.code === "not-embedded" ? (
          <p className="tl-note">
            This page cannot break down an interval. Open the profile with{" "}
            <code>warpsight view</code> for that.
          </p>
        ) : (
          <ErrorCard error={sums.error} onRetry={sums.refresh} />
        ))}
      {sums.error === null && sums.data === undefined && <Skeleton lines={8} />}
      {sums.error === null && sums.data !== undefined && <Sums sums={sums.data} handle={handle} />}
    </>
  );
}
