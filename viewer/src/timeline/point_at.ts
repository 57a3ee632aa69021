// Maps a position on the canvas to the item drawn there.

import type { Lane } from "../base/api_types";
import { HIT_PIXELS, type Hit, sliceAt, valueAt } from "./hit_test";
import { boxAt, depthAt, isCounter } from "./layout";
import { AXIS_HEIGHT, headerHeight } from "./scene";
import type { TimelineModel } from "./timeline_model";
import { cssPixels } from "./units";
import { xToTime } from "./view_range";

export interface Point {
  time: number;
  lane: number | null;
  hit: Hit | null;
  /** For a counter. */
  value: { lane: Lane; value: number } | null;
}

export function pointAt(model: TimelineModel, x: number, y: number): Point {
  const { view, layout } = model;
  const time = xToTime(view.range, cssPixels(view.width), cssPixels(x));
  const tolerance = (HIT_PIXELS / view.width) * (view.range.end - view.range.start);
  const nothing: Point = { time, lane: null, hit: null, value: null };
  const header = headerHeight(layout);
  if (y < header) {
    const { iterations } = layout;
    if (y < AXIS_HEIGHT || iterations === undefined) return nothing;
    return {
      ...nothing,
      lane: iterations.id,
      hit: sliceAt(model.piecesOfLane(iterations.id), iterations.id, 0, time, tolerance),
    };
  }
  const layoutY = y - header + view.scrollTop;
  const box = boxAt(layout, layoutY);
  if (box?.kind !== "lane") return nothing;
  const lane = box.lane.id;
  const pieces = model.piecesOfLane(lane);
  if (isCounter(box.lane)) {
    const value = valueAt(pieces, lane, time);
    return { ...nothing, lane, value: Number.isNaN(value) ? null : { lane: box.lane, value } };
  }
  const depth = depthAt(box, layoutY);
  if (depth === undefined) return { ...nothing, lane };
  return { ...nothing, lane, hit: sliceAt(pieces, lane, depth, time, tolerance) };
}
