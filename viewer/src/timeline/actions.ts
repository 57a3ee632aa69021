// All actions of keys and buttons.

import type { Gap } from "../base/api_types";
import { formatDuration } from "../base/units";
import { overlapping, type PlacedEvent } from "./hit_test";
import { walkRow, walkRows } from "./row_walk";
import { type Found, nextMatch, previousMatch } from "./search_walk";
import { asApiError, type TimelineModel } from "./timeline_model";
import { cssPixels } from "./units";
import { lengthOf, levelFor, viewRange } from "./view_range";

export const ZOOM_STEP = 1.6;
const PAN_SHARE = 0.25;
const GAPS = 100;
const ITERATIONS_PER_TILE = 8;

export class Actions {
  private gaps: Promise<Gap[]> | null = null;
  private gapIndex = -1;

  constructor(private readonly model: TimelineModel) {}

  zoom(direction: 1 | -1): void {
    const { view, pointerX } = this.model;
    const factor = direction > 0 ? ZOOM_STEP : 1 / ZOOM_STEP;
    view.zoomAt(pointerX ?? view.width / 2, factor, true);
  }

  pan(direction: 1 | -1): void {
    const { view } = this.model;
    view.panPixels(direction * view.width * PAN_SHARE, true);
  }

  wholeRun(): void {
    this.model.showRange(viewRange(0, this.model.timeline.end));
  }

  /** Zooms to the selected event or interval. */
  frameSelection(): void {
    const { selected, stretch } = this.model.ui.get();
    if (selected?.place) {
      this.model.bringIntoView(selected.place, "frame");
    } else if (stretch !== null) {
      this.showStretch(stretch.start, stretch.end);
    }
  }

  /** Shows an interval with a small margin on both sides. */
  showStretch(start: number, end: number): void {
    const air = (end - start) * 0.04;
    this.model.showRange(viewRange(start - air, end + air));
  }

  async alongRow(direction: 1 | -1): Promise<void> {
    const from = this.selectedOrFirst();
    if (from === null) return;
    const { model } = this;
    const { timeline, view } = model;
    const set = model.setOf(from.lane);
    if (set === undefined) return;
    const level = levelFor(view.target, cssPixels(view.width), timeline.span, timeline.max_level);
    const source = {
      span: timeline.span,
      tile: (tileLevel: number, index: number) => model.tiles.load(set, tileLevel, index),
    };
    await this.trying(async () => {
      const hit = await walkRow(source, from, direction, level);
      if (hit !== null) model.select(hit, "show");
      else
        model.announce(
          direction > 0 ? "No later event in this row" : "No earlier event in this row",
        );
    });
  }

  acrossRows(direction: 1 | -1): void {
    const from = this.selectedOrFirst();
    if (from === null) return;
    const { model } = this;
    const hit = walkRows(
      model.layout,
      (lane) => model.piecesOfLane(lane),
      from,
      direction,
      model.view.range,
    );
    if (hit !== null) model.select(hit, "show");
  }

  /**
   * Goes to the next match of the search or, without a search, the next event with the selected
   * name.
   */
  async nextOccurrence(direction: 1 | -1): Promise<void> {
    const { query, selected } = this.model.ui.get();
    if (query.trim() !== "") {
      await this.nextMatch(direction);
      return;
    }
    const same = selected?.details?.same_name;
    const event = direction > 0 ? same?.next : same?.previous;
    if (event) await this.trying(() => this.model.selectEvent(event, "show"));
    else if (selected) this.model.announce("No more events with this name");
  }

  async nextMatch(direction: 1 | -1): Promise<Found | null> {
    const { model } = this;
    const { query, selected } = model.ui.get();
    const ask = (after: number, limit: number) => model.api.search(query.trim(), after, limit);
    const from = selected?.place?.start ?? model.view.range.start;
    const current = selected?.event ?? null;
    return this.trying(async () => {
      const found =
        direction > 0
          ? await nextMatch(ask, from, current)
          : await previousMatch(ask, from, current, model.timeline.end);
      if (found === null) {
        model.announce(`No event contains ${query}`);
        return null;
      }
      model.select(found.match, "show");
      model.announce(`Match ${found.index + 1} of ${found.total}: ${model.describe(found.match)}`);
      return found;
    });
  }

  /** Goes through the gaps, longest first. */
  async nextGap(direction: 1 | -1): Promise<void> {
    const { model } = this;
    await this.trying(async () => {
      this.gaps ??= model.api.gaps(GAPS).then((answer) => answer.gaps);
      const gaps = await this.gaps.catch((error: unknown) => {
        this.gaps = null;
        throw error;
      });
      if (gaps.length === 0) {
        model.announce("The GPU has no gaps");
        return;
      }
      this.gapIndex = (this.gapIndex + direction + gaps.length) % gaps.length;
      const gap = gaps[this.gapIndex];
      if (gap === undefined) return;
      await model.selectEvent(gap.event, "frame");
      model.announce(`Gap ${this.gapIndex + 1} by length, ${formatDuration(gap.duration)}`);
    });
  }

  async nextIteration(direction: 1 | -1): Promise<void> {
    const { model } = this;
    const lane = model.layout.iterations;
    if (lane === undefined || lane.events === 0) {
      model.announce("This trace has no iterations");
      return;
    }
    const set = model.setOf(lane.id);
    if (set === undefined) return;
    // Level with a few iterations per tile: iterations are separate slices, and few steps find the
    // next.
    const { span, end, max_level } = model.timeline;
    const level = Math.floor(Math.log2((span * lane.events) / (end * ITERATIONS_PER_TILE)));
    const source = {
      span,
      tile: (tileLevel: number, index: number) => model.tiles.load(set, tileLevel, index),
    };
    await this.trying(async () => {
      const from = this.iterationInView(lane.id, direction);
      const hit = await walkRow(source, from, direction, Math.min(Math.max(level, 0), max_level));
      if (hit === null) {
        model.announce(
          direction > 0 ? "This is the last iteration" : "This is the first iteration",
        );
        return;
      }
      model.select(hit, "none");
      this.zoomTo(hit);
    });
  }

  /** Zooms to the slice so that it nearly fills the width. */
  zoomTo(place: PlacedEvent): void {
    this.showStretch(place.start, place.start + place.duration);
  }

  selectStretchOfEvent(): void {
    const place = this.model.ui.get().selected?.place;
    if (place) this.model.setStretch({ start: place.start, end: place.start + place.duration });
  }

  /**
   * The starting point: the selected iteration, otherwise the one in the middle, otherwise the
   * begin or end.
   */
  private iterationInView(lane: number, direction: 1 | -1): PlacedEvent {
    const { model } = this;
    const place = model.ui.get().selected?.place;
    if (place?.lane === lane) return place;
    const { range } = model.view;
    const middle = (range.start + range.end) / 2;
    const far = lengthOf(range) > 0.9 * model.timeline.end;
    const hit = far ? null : model.sliceAt(lane, 0, middle, 0);
    const outside = direction > 0 ? -1 : model.timeline.end;
    const start = far ? outside : middle;
    return hit ?? { event: "", name: "", start, duration: 0, lane, depth: 0 };
  }

  /**
   * The starting point of arrow keys without a selection: something in the middle of the screen.
   */
  private selectedOrFirst(): PlacedEvent | null {
    const { model } = this;
    const place = model.ui.get().selected?.place;
    if (place) return place;
    const { range, scrollTop } = model.view;
    const middle = scrollTop + model.lanesHeight / 2;
    const boxes = [...model.layout.lanes.values()].filter(
      (box) => box.lane.kind === "thread" || box.lane.kind === "stream",
    );
    boxes.sort((a, b) => Math.abs(a.top - middle) - Math.abs(b.top - middle));
    for (const box of boxes) {
      const hit = overlapping(
        model.piecesOfLane(box.lane.id),
        box.lane.id,
        0,
        range.start,
        range.end,
      );
      if (hit !== null) {
        model.select(hit, "none");
        return null;
      }
    }
    return null;
  }

  private async trying<T>(work: () => Promise<T>): Promise<T | null> {
    try {
      return await work();
    } catch (error) {
      this.model.patch({ error: asApiError(error) });
      return null;
    }
  }
}
