import { useEffect, useState } from "react";
import type { Timeline } from "../base/api_types";
import { getSource } from "../base/source";
import { useStore } from "../base/store";
import { Actions } from "./actions";
import { makeTimelineApi } from "./timeline_api";
import { TimelineModel, type UiState } from "./timeline_model";

export interface TimelineHandle {
  model: TimelineModel;
  actions: Actions;
}

function prefersReducedMotion(): boolean {
  return window.matchMedia?.("(prefers-reduced-motion: reduce)").matches ?? false;
}

/** A model that lives as long as the component shows this timeline. */
export function useTimelineModel(
  timeline: Timeline,
  profile: string,
  agg: string,
): TimelineHandle | null {
  const [handle, setHandle] = useState<TimelineHandle | null>(null);
  useEffect(() => {
    const api = makeTimelineApi(getSource(), profile, agg, timeline.stamp);
    const model = new TimelineModel(timeline, api, { reducedMotion: prefersReducedMotion });
    setHandle({ model, actions: new Actions(model) });
    return () => model.close();
  }, [timeline, profile, agg]);
  return handle;
}

export function useUi(model: TimelineModel): UiState {
  return useStore(model.ui);
}
