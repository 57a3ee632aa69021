import { type ReactNode, type RefObject, useEffect, useRef } from "react";
import { formatDuration } from "../base/units";
import { Icon, type IconName } from "../widgets/icon";
import { SearchBox } from "./search_box";
import { formatTime } from "./ticks";
import type { TimelineModel } from "./timeline_model";
import { type TimelineHandle, useUi } from "./use_model";

function Tool({
  label,
  shortcut,
  icon,
  disabled = false,
  onClick,
}: {
  label: string;
  shortcut?: string;
  icon: IconName;
  disabled?: boolean;
  onClick: () => void;
}) {
  return (
    <button
      type="button"
      className="button quiet icon"
      aria-label={label}
      data-tip={shortcut === undefined ? label : `${label} (${shortcut})`}
      disabled={disabled}
      onClick={onClick}
    >
      <Icon name={icon} />
    </button>
  );
}

function Pair({ label, children }: { label: string; children: ReactNode }) {
  return (
    <fieldset className="tl-pair">
      <legend className="visually-hidden">{label}</legend>
      <span className="tl-pair-label" aria-hidden="true">
        {label}
      </span>
      {children}
    </fieldset>
  );
}

/** Screen readers are notified this long after the view stops moving. */
const SAY_AFTER_MS = 700;

/** The visible range as text. It changes with every frame, so it is updated without React. */
function VisibleRange({ model }: { model: TimelineModel }) {
  const ref = useRef<HTMLSpanElement>(null);
  const spoken = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    let timer = 0;
    let said = "";
    const write = () => {
      const { start, end } = model.view.range;
      const pixel = (end - start) / model.view.width;
      if (ref.current === null) return;
      const length = formatDuration(end - start);
      ref.current.textContent = `${formatTime(start, pixel)} – ${formatTime(end, pixel)} · ${length}`;
      const words = `Showing ${length} from ${formatTime(start, pixel)}`;
      if (words === said) return;
      said = words;
      clearTimeout(timer);
      timer = window.setTimeout(() => {
        if (spoken.current !== null) spoken.current.textContent = words;
      }, SAY_AFTER_MS);
    };
    write();
    const forget = model.onMoved(write);
    return () => {
      clearTimeout(timer);
      forget();
    };
  }, [model]);
  return (
    <>
      <span className="tl-visible" ref={ref} />
      <span className="visually-hidden" aria-live="polite" ref={spoken} />
    </>
  );
}

export function Toolbar({
  handle,
  searchRef,
}: {
  handle: TimelineHandle;
  searchRef: RefObject<HTMLInputElement | null>;
}) {
  const { model, actions } = handle;
  const { selected, stretch, layout } = useUi(model);
  const hasGaps = model.timeline.lanes.some((lane) => lane.kind === "gaps" && lane.events > 0);
  return (
    <div className="tl-toolbar">
      <SearchBox handle={handle} inputRef={searchRef} />
      <Pair label="Zoom">
        <Tool label="Zoom out" shortcut="S" icon="minus" onClick={() => actions.zoom(-1)} />
        <Tool label="Zoom in" shortcut="W" icon="plus" onClick={() => actions.zoom(1)} />
        <Tool label="Whole run" shortcut="0" icon="reset" onClick={() => actions.wholeRun()} />
        <button
          type="button"
          className="button quiet"
          data-tip="Zoom to the selection (F)"
          disabled={selected?.place == null && stretch === null}
          onClick={() => actions.frameSelection()}
        >
          Selection
        </button>
      </Pair>
      {layout.iterations !== undefined && (
        <Pair label="Iteration">
          <Tool
            label="Previous iteration"
            shortcut="Shift+I"
            icon="chevronLeft"
            onClick={() => void actions.nextIteration(-1)}
          />
          <Tool
            label="Next iteration"
            shortcut="I"
            icon="chevronRight"
            onClick={() => void actions.nextIteration(1)}
          />
        </Pair>
      )}
      {hasGaps && (
        <Pair label="Idle">
          <Tool
            label="Longer gap"
            shortcut="Shift+G"
            icon="chevronLeft"
            onClick={() => void actions.nextGap(-1)}
          />
          <Tool
            label="Longest gap, then the next longest"
            shortcut="G"
            icon="chevronRight"
            onClick={() => void actions.nextGap(1)}
          />
          <button
            type="button"
            className="button quiet"
            aria-label="List of gaps"
            data-tip="The longest GPU gaps"
            onClick={() => model.patch({ pane: "gaps" })}
          >
            List
          </button>
        </Pair>
      )}
      <Pair label="Lanes">
        <button type="button" className="button quiet" onClick={() => model.foldAll(true)}>
          Fold
        </button>
        <button type="button" className="button quiet" onClick={() => model.foldAll(false)}>
          Unfold
        </button>
      </Pair>
      <span className="spacer" />
      <VisibleRange model={model} />
      <Tool
        label="Keys and colors"
        shortcut="?"
        icon="help"
        onClick={() => model.patch({ help: true })}
      />
    </div>
  );
}
