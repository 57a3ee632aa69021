import { useEffect, useRef } from "react";
import { busyTimeout } from "../base/idle";
import { setParams, useRoute } from "../base/route";
import type { TimelineModel } from "./timeline_model";
import { readUrl, type UrlState, writeUrl } from "./url_state";
import { viewRange } from "./view_range";

/** The URL is updated this long after the view stops moving, without entries in the history. */
const WRITE_AFTER_MS = 300;

function stateOf(model: TimelineModel): UrlState {
  const { selected, stretch, query, flips } = model.ui.get();
  return { range: model.view.target, event: selected?.event ?? null, stretch, query, flips };
}

function apply(model: TimelineModel, state: UrlState): void {
  model.setFlips(state.flips);
  model.setQuery(state.query);
  if (state.stretch !== null || model.ui.get().stretch !== null) model.setStretch(state.stretch);
  if (state.range !== null) model.view.moveTo(state.range, false);
  if (state.event !== null) {
    void model.selectEvent(state.event, state.range === null ? "context" : "rows");
  } else {
    if (model.ui.get().selected !== null) model.patch({ selected: null });
    if (state.range === null) model.view.moveTo(viewRange(0, model.timeline.end), false);
  }
}

function waitsForPlace(model: TimelineModel): boolean {
  const { selected } = model.ui.get();
  return selected !== null && selected.place === null && selected.error === null;
}

function keyOf(state: UrlState, traceEnd: number): string {
  return JSON.stringify(writeUrl(state, traceEnd));
}

/** Keeps the model and the URL synchronized in both directions. */
export function useUrlSync(model: TimelineModel): void {
  const { params } = useRoute();
  const written = useRef<{ model: TimelineModel; key: string } | null>(null);

  useEffect(() => {
    const state = readUrl(params);
    const key = keyOf(state, model.timeline.end);
    if (written.current?.model === model && written.current.key === key) return;
    written.current = { model, key };
    apply(model, state);
  }, [model, params]);

  useEffect(() => {
    let cancel = () => {};
    const write = () => {
      const state = stateOf(model);
      // An event from a link has no place yet: writing now would fix a view that is about to move.
      if (model.ui.get().selected?.place === null && model.ui.get().selected?.error === null)
        return;
      const key = keyOf(state, model.timeline.end);
      if (written.current?.key === key) return;
      written.current = { model, key };
      setParams(writeUrl(state, model.timeline.end), "replace");
    };
    let seen = "";
    const later = () => {
      // Frames are also drawn when tiles arrive; only movements of the view postpone writing.
      const now = `${keyOf(stateOf(model), model.timeline.end)} ${waitsForPlace(model)}`;
      if (now === seen) return;
      seen = now;
      cancel();
      cancel = busyTimeout(write, WRITE_AFTER_MS);
    };
    const forgetMoved = model.onMoved(later);
    const forgetUi = model.ui.subscribe(later);
    return () => {
      cancel();
      forgetMoved();
      forgetUi();
    };
  }, [model]);
}
