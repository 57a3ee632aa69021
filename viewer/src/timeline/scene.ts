// The input for drawing a frame. Recreated if something changes, never modified while drawing.

import type { Timeline } from "../base/api_types";
import type { LaneSet } from "./lane_sets";
import type { Layout } from "./layout";
import type { NameMatcher } from "./name_matcher";
import type { Palette } from "./palette";
import type { TextFit } from "./text_fit";
import type { Piece } from "./tile_cache";
import type { ViewRange } from "./view_range";

/** Heights of the parts above the lanes, in CSS pixels. */
export const AXIS_HEIGHT = 26;
export const ITERATION_HEIGHT = 22;

export interface Scene {
  timeline: Timeline;
  sets: readonly LaneSet[];
  /** The pieces from which each set is drawn, by the set's id; empty for hidden sets. */
  pieces: readonly (readonly Piece[])[];
  layout: Layout;
  palette: Palette;
  fit: TextFit;
  /** In device pixels, for the lower canvas. */
  font: string;
  /** In CSS pixels, for the overlay. */
  cssFont: string;
  range: ViewRange;
  /** CSS pixels. */
  width: number;
  height: number;
  scrollTop: number;
  dpr: number;
  /** The searched names; null shows all slices alike. */
  matcher: NameMatcher | null;
  /** Slices that are narrower, in CSS pixels, have no label. */
  leastLabel: number;
}

/** Height of the parts above the lanes. */
export function headerHeight(layout: Layout): number {
  return AXIS_HEIGHT + (layout.iterations === undefined ? 0 : ITERATION_HEIGHT);
}

/** The position on the canvas, in CSS pixels, of a height in the layout. */
export function canvasY(scene: Scene, layoutY: number): number {
  return headerHeight(scene.layout) + layoutY - scene.scrollTop;
}
