import { type RefObject, useLayoutEffect, useRef } from "react";
import type { Lane } from "../base/api_types";
import { categoryColor } from "../base/colors";
import { type Store, useStore } from "../base/store";
import { useTheme } from "../base/theme";
import { formatDuration, formatMoment, formatPercent, formatReal, plural } from "../base/units";
import type { Hit } from "./hit_test";
import type { TimelineModel } from "./timeline_model";

export interface Hovered {
  hit: Hit | null;
  /** For a counter. */
  value: { lane: Lane; value: number } | null;
  /** The position in the frame, in CSS pixels. */
  x: number;
  y: number;
}

function describeValue(lane: Lane, value: number): string {
  if (lane.kind === "utilization") return `${formatPercent(100 * value)} of the time busy`;
  return `${formatReal(Math.round(value * 10) / 10)} launched and waiting`;
}

export function HoverCard({
  model,
  store,
  frame,
}: {
  model: TimelineModel;
  store: Store<Hovered | null>;
  frame: RefObject<HTMLDivElement | null>;
}) {
  const hovered = useStore(store);
  const card = useRef<HTMLDivElement>(null);
  const theme = useTheme();

  useLayoutEffect(() => {
    const box = card.current;
    if (box === null || hovered === null) return;
    const width = frame.current?.clientWidth ?? 0;
    const height = frame.current?.clientHeight ?? 0;
    const right = hovered.x + 14 + box.offsetWidth > width;
    const below = hovered.y + 18 + box.offsetHeight <= height;
    const left = right ? Math.max(0, hovered.x - box.offsetWidth - 10) : hovered.x + 14;
    const top = below ? hovered.y + 18 : Math.max(0, hovered.y - box.offsetHeight - 8);
    box.style.transform = `translate(${left}px, ${top}px)`;
  });

  if (hovered === null) return null;
  const { hit, value } = hovered;
  if (hit === null) {
    return (
      <div className="tl-hover" ref={card} aria-hidden="true">
        {value === null ? "" : describeValue(value.lane, value.value)}
      </div>
    );
  }
  const category = model.timeline.categories[hit.category] ?? "other";
  return (
    <div className="tl-hover" ref={card} aria-hidden="true">
      <div className="tl-hover-name">
        <span className="tl-dot" style={{ background: categoryColor(category, theme) }} />
        {hit.name}
      </div>
      {hit.count > 1 ? (
        <div className="tl-hover-note">
          and {plural(hit.count - 1, "shorter event")} within {formatDuration(hit.duration)},{" "}
          {formatPercent(100 * hit.cover)} filled
        </div>
      ) : (
        <div className="tl-hover-note">
          {formatDuration(hit.duration)} at {formatMoment(hit.start)}
        </div>
      )}
    </div>
  );
}
