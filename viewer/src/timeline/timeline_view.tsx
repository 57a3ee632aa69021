import { useMemo, useRef } from "react";
import type { Timeline } from "../base/api_types";
import { Icon } from "../widgets/icon";
import { EmptyState, Skeleton } from "../widgets/states";
import { Help } from "./help";
import { Minimap } from "./minimap";
import { SidePane } from "./pane";
import { Stage } from "./stage";
import type { TimelineModel } from "./timeline_model";
import { Toolbar } from "./toolbar";
import { useKeys } from "./use_keys";
import { type TimelineHandle, useTimelineModel, useUi } from "./use_model";
import { useUrlSync } from "./use_url_sync";
import "./timeline.css";

/** Sentences about missing data in a trace; empty for a complete trace. */
export function whatIsMissing(timeline: Timeline): string[] {
  const has = (kind: string) =>
    timeline.lanes.some((lane) => lane.kind === kind && lane.events > 0);
  const sentences: string[] = [];
  if (!has("stream")) {
    sentences.push(
      "The trace has no GPU work: it was recorded without CUDA activities, or nothing ran on a GPU.",
    );
  }
  if (!has("thread")) {
    sentences.push(
      "The trace has no events of CPU threads: it was recorded without CPU activities.",
    );
  }
  if (!has("iterations")) {
    sentences.push(
      "No iterations were found: call the profiler's step() in the training loop, or choose a key op.",
    );
  }
  return sentences;
}

function Notices({ model }: { model: TimelineModel }) {
  const { reduced, error } = useUi(model);
  const missing = whatIsMissing(model.timeline);
  return (
    <>
      {reduced && (
        <p className="tl-notice">
          <Icon name="info" size={14} />
          <span>
            Reduced timeline: open the profile with <code>warpsight view</code> for every detail.
          </span>
        </p>
      )}
      {missing.map((sentence) => (
        <p className="tl-notice" key={sentence}>
          <Icon name="info" size={14} /> {sentence}
        </p>
      ))}
      {error !== null && (
        <p className="tl-notice tl-trouble" role="alert">
          <Icon name="error" size={14} /> {error.message}
          <span className="spacer" />
          <button
            type="button"
            className="button quiet"
            onClick={() => {
              model.patch({ error: null });
              model.tiles.retry();
            }}
          >
            Try again
          </button>
        </p>
      )}
    </>
  );
}

function LiveTimeline({ handle }: { handle: TimelineHandle }) {
  const { model } = handle;
  const { help, announcement } = useUi(model);
  const searchRef = useRef<HTMLInputElement>(null);
  const surfaceRef = useRef<HTMLDivElement>(null);
  const paneRef = useRef<HTMLElement>(null);
  useUrlSync(model);
  const keys = useMemo(
    () => ({
      ...handle,
      focusSearch: () => searchRef.current?.focus(),
      focusDetails: () => {
        if (handle.model.ui.get().pane === null) handle.model.patch({ pane: "event" });
        requestAnimationFrame(() => paneRef.current?.focus());
      },
    }),
    [handle],
  );
  useKeys(surfaceRef, keys);
  return (
    <>
      <Toolbar handle={handle} searchRef={searchRef} />
      <Notices model={model} />
      <div className="tl-main">
        <div className="tl-left">
          <Minimap model={model} />
          <Stage handle={handle} surfaceRef={surfaceRef} />
        </div>
        <SidePane handle={handle} paneRef={paneRef} />
      </div>
      <p className="visually-hidden" aria-live="polite">
        {announcement}
      </p>
      {help && <Help model={model} />}
    </>
  );
}

export function TimelineView({
  timeline,
  profile,
  agg,
}: {
  timeline: Timeline;
  profile: string;
  agg: string;
}) {
  const handle = useTimelineModel(timeline, profile, agg);
  if (timeline.lanes.length === 0) {
    return (
      <EmptyState
        title="Nothing to draw"
        why="The trace has no events with a duration: neither GPU work nor events of CPU threads."
      />
    );
  }
  if (handle === null) return <Skeleton lines={8} />;
  return (
    <section className="timeline" aria-label="Timeline">
      <LiveTimeline handle={handle} />
    </section>
  );
}
