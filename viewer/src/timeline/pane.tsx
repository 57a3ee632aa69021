import type { RefObject } from "react";
import { useApi } from "../base/api";
import type { Gap } from "../base/api_types";
import { idleColor } from "../base/colors";
import { useTheme } from "../base/theme";
import { TIME_NAMES, type TimeId } from "../base/time_names";
import { formatCount, formatDuration } from "../base/units";
import { Icon } from "../widgets/icon";
import { EmptyState, Loaded } from "../widgets/states";
import { EventPane } from "./event_pane";
import { useSearch } from "./search_box";
import { StretchPane } from "./stretch_pane";
import { labelOf } from "./text_fit";
import type { Pane } from "./timeline_model";
import { type TimelineHandle, useUi } from "./use_model";

const TITLES: Record<Pane, string> = {
  event: "Event",
  stretch: "Stretch",
  search: "Matches",
  gaps: "Idle",
};

/** The number of rows of the list; N and P reach further matches. */
const MATCHES_SHOWN = 100;

function GapList({ handle }: { handle: TimelineHandle }) {
  const { model } = handle;
  const theme = useTheme();
  const gaps = useApi<{ gaps: Gap[] }>(`${model.api.base}/gaps`, { limit: 50 });
  const { selected } = useUi(model);
  return (
    <Loaded state={gaps}>
      {(answer) =>
        answer.gaps.length === 0 ? (
          <EmptyState
            title="No gaps"
            why="The GPU always had work in the analyzed steps, or the trace has no GPU work."
          />
        ) : (
          <ul className="tl-list">
            {answer.gaps.map((gap) => (
              <li key={gap.event}>
                <button
                  type="button"
                  aria-current={gap.event === selected?.event}
                  onClick={() =>
                    void model
                      .selectEvent(gap.event, "frame")
                      .then(() => model.patch({ pane: "gaps" }))
                  }
                >
                  <span className="tl-dot" style={{ background: idleColor(gap.cause, theme) }} />
                  <span className="tl-list-name">
                    {TIME_NAMES[`gap_${gap.cause}` as TimeId] ?? gap.cause}
                    {gap.op && <span className="muted"> · {gap.op}</span>}
                  </span>
                  <span className="number">{formatDuration(gap.duration)}</span>
                </button>
              </li>
            ))}
          </ul>
        )
      }
    </Loaded>
  );
}

function MatchList({ handle }: { handle: TimelineHandle }) {
  const { model } = handle;
  const { query, selected } = useUi(model);
  const search = useSearch(handle);
  if (query.trim() === "") {
    return <EmptyState title="No search" why="Type part of a name into the search field." />;
  }
  return (
    <Loaded state={search}>
      {({ total, matches }) =>
        total === 0 ? (
          <EmptyState title="No matches" why={`No event's name contains “${query.trim()}”.`} />
        ) : (
          <>
            <ul className="tl-list">
              {matches.slice(0, MATCHES_SHOWN).map((match) => (
                <li key={match.event}>
                  <button
                    type="button"
                    aria-current={match.event === selected?.event}
                    onClick={() => model.select(match, "show")}
                  >
                    <span className="tl-list-name" title={match.name}>
                      {labelOf(match.name)}
                    </span>
                    <span className="muted number">{formatDuration(match.start)}</span>
                    <span className="number">{formatDuration(match.duration)}</span>
                  </button>
                </li>
              ))}
            </ul>
            {total > MATCHES_SHOWN && (
              <p className="muted">
                The first {formatCount(MATCHES_SHOWN)} of {formatCount(total)}. N and P go on.
              </p>
            )}
          </>
        )
      }
    </Loaded>
  );
}

/** Details of the selection. */
export function SidePane({
  handle,
  paneRef,
}: {
  handle: TimelineHandle;
  paneRef: RefObject<HTMLElement | null>;
}) {
  const { model } = handle;
  const { pane, selected, stretch, query } = useUi(model);
  if (pane === null) return null;
  const open: Pane[] = [];
  if (selected !== null || pane === "event") open.push("event");
  if (stretch !== null || pane === "stretch") open.push("stretch");
  if (query.trim() !== "" || pane === "search") open.push("search");
  if (pane === "gaps") open.push("gaps");
  return (
    <aside className="tl-pane" aria-label="Details" ref={paneRef} tabIndex={-1}>
      <header className="tl-pane-head">
        <nav className="tl-pane-tabs" aria-label="Details of">
          {open.map((id) => (
            <button
              key={id}
              type="button"
              aria-current={id === pane}
              onClick={() => model.patch({ pane: id })}
            >
              {TITLES[id]}
            </button>
          ))}
        </nav>
        <span className="spacer" />
        <button
          type="button"
          className="button quiet icon"
          aria-label="Close the details"
          onClick={() => model.patch({ pane: null })}
        >
          <Icon name="close" />
        </button>
      </header>
      <div className="tl-pane-body">
        {pane === "event" && <EventPane handle={handle} />}
        {pane === "stretch" && stretch !== null && (
          <StretchPane handle={handle} stretch={stretch} />
        )}
        {pane === "search" && <MatchList handle={handle} />}
        {pane === "gaps" && <GapList handle={handle} />}
      </div>
    </aside>
  );
}
