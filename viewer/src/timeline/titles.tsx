import { useEffect, useRef, useState } from "react";
import { formatCount, formatReal, plural } from "../base/units";
import { Icon } from "../widgets/icon";
import { wheelPixels } from "./gestures";
import {
  firstBoxAt,
  type GroupBox,
  groupFlip,
  type LaneBox,
  type Layout,
  laneFlip,
} from "./layout";
import { AXIS_HEIGHT, headerHeight, ITERATION_HEIGHT } from "./scene";
import type { TimelineModel } from "./timeline_model";
import { useUi } from "./use_model";

/** Titles are rendered in scrolling steps, with this margin above and below the visible part. */
const STEP = 400;

function visibleBoxes(layout: Layout, step: number, height: number) {
  const from = firstBoxAt(layout, (step - 1) * STEP);
  const boxes = [];
  for (let i = from; i < layout.boxes.length; ++i) {
    const box = layout.boxes[i];
    if (box === undefined || box.top > (step + 2) * STEP + height) break;
    boxes.push(box);
  }
  return boxes;
}

function GroupTitle({
  box,
  model,
  pinned = false,
}: {
  box: GroupBox;
  model: TimelineModel;
  pinned?: boolean;
}) {
  const { group } = box;
  return (
    <button
      type="button"
      className={pinned ? "tl-group-title tl-pinned" : "tl-group-title"}
      style={{ top: pinned ? 0 : box.top, height: box.height }}
      tabIndex={pinned ? -1 : 0}
      aria-expanded={!box.folded}
      title={`${group.title}${group.detail === "" ? "" : ` · ${group.detail}`} · ${plural(box.lanes, "lane")}`}
      onClick={() => model.flip(groupFlip(group.id))}
    >
      <Icon name={box.folded ? "chevronRight" : "chevron"} size={12} />
      <span className="tl-group-name">{group.title}</span>
      <span className="tl-group-detail">{group.detail}</span>
    </button>
  );
}

/** The group whose lanes are at the top while its own title is scrolled out of view. */
function pinnedGroup(layout: Layout, scrollTop: number): GroupBox | null {
  let pinned: GroupBox | null = null;
  for (const box of layout.boxes) {
    if (box.kind !== "group") continue;
    if (box.top >= scrollTop) break;
    pinned = box;
  }
  return pinned;
}

function laneNote(box: LaneBox): string {
  const { lane } = box;
  if (lane.kind === "utilization") return "0 to 100 %";
  if (lane.kind === "queue") return `up to ${formatReal(lane.max ?? 0)} launches`;
  return plural(lane.events, "event");
}

function LaneTitle({ box, model }: { box: LaneBox; model: TimelineModel }) {
  const { lane } = box;
  const style = { top: box.top, height: box.height };
  const note = laneNote(box);
  const tip = `${lane.title} · ${note}${box.foldable ? ` · ${plural(lane.rows, "row")}` : ""}`;
  if (!box.foldable) {
    return (
      <div className="tl-lane-title" style={style} title={tip}>
        <span className="tl-lane-name">{lane.title}</span>
        {lane.kind === "queue" && (
          <span className="tl-lane-note">max {formatCount(lane.max ?? 0)}</span>
        )}
      </div>
    );
  }
  return (
    <button
      type="button"
      className="tl-lane-title tl-foldable"
      style={style}
      title={tip}
      aria-expanded={!box.folded}
      onClick={() => model.flip(laneFlip(lane.id))}
    >
      <Icon name={box.folded ? "chevronRight" : "chevron"} size={10} />
      <span className="tl-lane-name">{lane.title}</span>
      {box.folded && <span className="tl-lane-note">+{lane.rows - box.rows}</span>}
    </button>
  );
}

/** The column of titles. A transform scrolls it in the same frame as the canvas. */
export function Titles({ model }: { model: TimelineModel }) {
  const { layout } = useUi(model);
  const [step, setStep] = useState(0);
  const [pinned, setPinned] = useState<GroupBox | null>(null);
  const bodyRef = useRef<HTMLDivElement>(null);
  const listRef = useRef<HTMLDivElement>(null);

  useEffect(() => {
    const move = () => {
      const { scrollTop } = model.view;
      if (listRef.current) listRef.current.style.transform = `translateY(${-scrollTop}px)`;
      setStep(Math.floor(scrollTop / STEP));
      setPinned(pinnedGroup(layout, scrollTop));
    };
    move();
    return model.onMoved(move);
  }, [model, layout]);

  useEffect(() => {
    const body = bodyRef.current;
    if (body === null) return;
    const abort = new AbortController();
    const { signal } = abort;
    let lastY: number | null = null;
    let dragged = false;
    body.addEventListener(
      "wheel",
      (event) => {
        event.preventDefault();
        model.scrollTo(model.view.scrollTop + wheelPixels(event, event.deltaY));
      },
      { passive: false, signal },
    );
    body.addEventListener(
      "pointerdown",
      (event) => {
        if (event.button !== 0) return;
        lastY = event.clientY;
        dragged = false;
      },
      { signal },
    );
    window.addEventListener(
      "pointermove",
      (event) => {
        if (lastY === null || Math.abs(event.clientY - lastY) < (dragged ? 1 : 4)) return;
        dragged = true;
        model.scrollTo(model.view.scrollTop + lastY - event.clientY);
        lastY = event.clientY;
      },
      { signal },
    );
    window.addEventListener("pointerup", () => (lastY = null), { signal });
    // The end of a drag is not a click on the title below it.
    body.addEventListener("click", (event) => dragged && event.stopPropagation(), {
      signal,
      capture: true,
    });
    // A title that gets the focus by keyboard must be scrolled into view here, since the browser's
    // scrolling does not affect the canvas.
    body.addEventListener(
      "focusin",
      (event) => {
        body.scrollTop = 0;
        if (!(event.target instanceof HTMLElement) || !event.target.matches(":focus-visible"))
          return;
        const top = event.target.offsetTop;
        const { scrollTop } = model.view;
        const seen = top >= scrollTop && top <= scrollTop + model.lanesHeight - 24;
        if (!seen) model.scrollTo(top - 60);
      },
      { signal },
    );
    return () => abort.abort();
  }, [model]);

  return (
    <div className="tl-titles">
      <div className="tl-titles-head" style={{ height: headerHeight(layout) }}>
        <div style={{ height: AXIS_HEIGHT }} className="tl-axis-title">
          Time
        </div>
        {layout.iterations !== undefined && (
          <div style={{ height: ITERATION_HEIGHT }} className="tl-iterations-title">
            {layout.iterations.title}
          </div>
        )}
      </div>
      <div className="tl-titles-body" ref={bodyRef}>
        <div ref={listRef} style={{ height: layout.height }} className="tl-titles-list">
          {visibleBoxes(layout, step, 1600).map((box) =>
            box.kind === "group" ? (
              <GroupTitle key={`g${box.group.id}`} box={box} model={model} />
            ) : (
              <LaneTitle key={box.lane.id} box={box} model={model} />
            ),
          )}
        </div>
        {pinned !== null && <GroupTitle box={pinned} model={model} pinned />}
      </div>
    </div>
  );
}
