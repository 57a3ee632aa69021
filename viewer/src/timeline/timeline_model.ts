// The timeline's state and the operations on it, independent of React and the canvas. State that
// changes with every frame (the view, the pointer) is in plain fields, and changes end with
// `invalidate`; the state of panels is in `ui`, a store that rarely changes.

import type { EventDetails, Timeline } from "../base/api_types";
import { ApiError, isAbort } from "../base/source";
import { createStore, type Store } from "../base/store";
import { formatDuration } from "../base/units";
import type { Hit, PlacedEvent } from "./hit_test";
import { sliceAt } from "./hit_test";
import { type LaneSet, makeLaneSets } from "./lane_sets";
import { type Flips, foldAll, type Layout, makeLayout, revealRow, toggled } from "./layout";
import { NameMatcher } from "./name_matcher";
import { type Piece, TileCache } from "./tile_cache";
import { planTiles, setsInView } from "./tile_plan";
import type { TimelineApi } from "./timeline_api";
import { cssPixels } from "./units";
import {
  frameContext,
  frameEvent,
  isInView,
  levelFor,
  tilesIn,
  type ViewRange,
  viewRange,
} from "./view_range";
import { Viewport } from "./viewport";

export interface Stretch {
  readonly start: number;
  readonly end: number;
}

export interface Selected {
  readonly event: string;
  /** Unknown until the details of an event from a link have arrived. */
  readonly place: PlacedEvent | null;
  /** Set if several events were drawn as one slice. */
  readonly slice: Hit | null;
  readonly details: EventDetails | null;
  readonly error: ApiError | null;
}

export type Pane = "event" | "stretch" | "search" | "gaps";

export interface UiState {
  readonly layout: Layout;
  readonly flips: Flips;
  readonly selected: Selected | null;
  readonly stretch: Stretch | null;
  readonly query: string;
  readonly pane: Pane | null;
  readonly help: boolean;
  /** Whether some tiles do not exist, so that a coarser view is shown. */
  readonly reduced: boolean;
  readonly error: ApiError | null;
  /** Text for screen readers. */
  readonly announcement: string;
}

export type Layer = "lanes" | "overlay";

export interface ModelOptions {
  reducedMotion?: () => boolean;
}

/**
 * How the view follows a selection: `frame` zooms to it, `context` also does but shows more around
 * it, `show` moves only if the selection is not visible, `rows` only scrolls, `none` stays (it was
 * clicked).
 */
export type Move = "frame" | "context" | "show" | "rows" | "none";

/** A row that is not visible is scrolled to the upper third. */
const SCROLL_SHARE = 0.33;

export class TimelineModel {
  readonly view: Viewport;
  readonly tiles: TileCache;
  readonly sets: readonly LaneSet[];
  readonly ui: Store<UiState>;
  /** The pieces from which each lane set is drawn, by the set's id. */
  readonly pieces: Piece[][];
  hover: Hit | null = null;
  /** The interval that is being dragged. */
  draft: Stretch | null = null;
  pointerX: number | null = null;
  matcher: NameMatcher | null = null;
  matches: readonly PlacedEvent[] = [];
  /** Whether `matches` are complete. */
  allMatches = true;
  /** The height of the canvas below the header. */
  lanesHeight = 1;
  private readonly setOfLane = new Map<number, number>();
  private detailsRequest: AbortController | null = null;
  private painter: ((layer: Layer) => void) | null = null;
  private readonly movedListeners = new Set<() => void>();

  constructor(
    readonly timeline: Timeline,
    readonly api: TimelineApi,
    options: ModelOptions = {},
  ) {
    this.sets = makeLaneSets(timeline.lanes);
    for (const set of this.sets) for (const lane of set.lanes) this.setOfLane.set(lane.id, set.id);
    this.pieces = this.sets.map(() => []);
    this.view = new Viewport(timeline.end, options.reducedMotion ?? (() => false), () =>
      this.invalidate("lanes"),
    );
    this.tiles = new TileCache({
      fetch: (set, level, index, signal) =>
        api.tile(level, index, this.sets[set]?.query ?? "", signal),
      span: timeline.span,
      maxLevel: timeline.max_level,
      onChange: () => {
        if (this.tiles.reduced && !this.ui.get().reduced) this.patch({ reduced: true });
        this.invalidate("lanes");
      },
      onError: (error) => this.patch({ error: asApiError(error) }),
      isMissing: (error) => error instanceof ApiError && error.code === "not-embedded",
      isAbort,
    });
    const flips: Flips = new Set();
    this.ui = createStore<UiState>({
      layout: makeLayout(timeline, flips),
      flips,
      selected: null,
      stretch: null,
      query: "",
      pane: null,
      help: false,
      reduced: false,
      error: null,
      announcement: "",
    });
  }

  close(): void {
    this.detailsRequest?.abort();
    this.tiles.close();
  }

  /** Sets the function that is called when something must be drawn. */
  setPainter(painter: ((layer: Layer) => void) | null): void {
    this.painter = painter;
  }

  private invalidate(layer: Layer): void {
    this.painter?.(layer);
  }

  redrawOverlay(): void {
    this.invalidate("overlay");
  }

  /** Called after each frame that moved or scrolled the view. */
  onMoved(listener: () => void): () => void {
    this.movedListeners.add(listener);
    return () => this.movedListeners.delete(listener);
  }

  reportMoved(): void {
    for (const listener of this.movedListeners) listener();
  }

  get layout(): Layout {
    return this.ui.get().layout;
  }

  patch(changes: Partial<UiState>): void {
    this.ui.set({ ...this.ui.get(), ...changes });
  }

  announce(announcement: string): void {
    this.patch({ announcement });
  }

  /** Finds the tiles for the current range, and requests those missing from the target range. */
  updatePieces(): void {
    const { timeline, view, layout } = this;
    const width = cssPixels(view.width);
    const level = levelFor(view.range, width, timeline.span, timeline.max_level);
    const span = tilesIn(view.range, level, timeline.span, timeline.end);
    const visible = setsInView(this.sets, layout, view.scrollTop, this.lanesHeight);
    for (const set of this.sets) {
      const pieces = this.pieces[set.id] ?? [];
      if (visible.includes(set.id)) this.tiles.cover(set.id, level, span.first, span.last, pieces);
      else pieces.length = 0;
    }
    const target = view.target;
    const targetLevel = levelFor(target, width, timeline.span, timeline.max_level);
    const wanted = tilesIn(target, targetLevel, timeline.span, timeline.end);
    const whole = tilesIn(viewRange(0, timeline.end), targetLevel, timeline.span, timeline.end);
    this.tiles.want(planTiles(visible, wanted, whole.last));
  }

  piecesOfLane(lane: number): readonly Piece[] {
    return this.pieces[this.setOfLane.get(lane) ?? -1] ?? [];
  }

  setOf(lane: number): number | undefined {
    return this.setOfLane.get(lane);
  }

  setFlips(flips: Flips): void {
    this.patch({ flips, layout: makeLayout(this.timeline, flips) });
    this.scrollTo(this.view.scrollTop);
    this.invalidate("lanes");
  }

  flip(key: string): void {
    this.setFlips(toggled(this.ui.get().flips, key));
  }

  foldAll(folded: boolean): void {
    this.setFlips(foldAll(this.timeline, folded));
  }

  get maxScroll(): number {
    return Math.max(0, this.layout.height - this.lanesHeight);
  }

  scrollTo(top: number): void {
    this.view.scrollTop = Math.round(Math.min(Math.max(top, 0), this.maxScroll));
    this.invalidate("lanes");
  }

  scrollToRow(lane: number, depth: number): void {
    const box = this.layout.lanes.get(lane);
    if (box === undefined) return;
    const top = box.rowTop + Math.min(depth, box.rows - 1) * box.rowHeight;
    const { scrollTop } = this.view;
    const inSight = top >= scrollTop && top + box.rowHeight <= scrollTop + this.lanesHeight;
    if (!inSight) this.scrollTo(top - this.lanesHeight * SCROLL_SHARE);
  }

  /** Selects the event at this place; details are loaded later. */
  select(place: PlacedEvent | Hit, move: Move): void {
    const { pane } = this.ui.get();
    const slice = "count" in place && place.count > 1 ? place : null;
    this.patch({
      selected: { event: place.event, place, slice, details: null, error: null },
      pane: pane === null || pane === "stretch" ? "event" : pane,
    });
    this.bringIntoView(place, move);
    this.announce(this.describe(place));
    void this.loadDetails(place.event, null);
    this.invalidate("overlay");
  }

  /** Selects an event of which only the id is known, as in links from tables. */
  selectEvent(event: string, move: Move): Promise<void> {
    this.patch({
      selected: { event, place: null, slice: null, details: null, error: null },
      pane: "event",
    });
    this.invalidate("overlay");
    return this.loadDetails(event, move);
  }

  clearSelection(): void {
    const { selected, stretch } = this.ui.get();
    this.detailsRequest?.abort();
    if (stretch !== null) this.patch({ stretch: null, pane: selected === null ? null : "event" });
    else this.patch({ selected: null, pane: null });
    this.announce("Nothing selected");
    this.invalidate("overlay");
  }

  setStretch(stretch: Stretch | null): void {
    this.draft = null;
    if (stretch !== null) {
      const start = Math.max(0, Math.round(Math.min(stretch.start, stretch.end)));
      const end = Math.min(this.timeline.end, Math.round(Math.max(stretch.start, stretch.end)));
      if (end > start) {
        this.patch({ stretch: { start, end }, pane: "stretch" });
        this.announce(`Selected ${formatDuration(end - start)} from ${formatDuration(start)}`);
      }
    } else {
      this.patch({ stretch: null });
    }
    this.invalidate("overlay");
  }

  bringIntoView(place: PlacedEvent, move: Move): void {
    const flips = revealRow(this.timeline, this.ui.get().flips, place.lane, place.depth);
    if (flips !== this.ui.get().flips) this.setFlips(flips);
    if (move === "none") return;
    const { start, duration } = place;
    if (move === "frame") this.view.moveTo(frameEvent(start, duration, this.timeline.end), true);
    else if (move === "context") {
      this.view.moveTo(frameContext(start, duration, this.timeline.end), true);
    } else if (move === "show" && !isInView(this.view.target, start, duration)) {
      this.show(start, duration);
    }
    this.scrollToRow(place.lane, place.depth);
  }

  /** Moves at the current zoom if the event is then visible; otherwise zooms to it. */
  private show(start: number, duration: number): void {
    const length = this.view.target.end - this.view.target.start;
    const pixels = (duration / length) * this.view.width;
    if (pixels > this.view.width * 0.9) {
      this.view.moveTo(frameEvent(start, duration, this.timeline.end), true);
      return;
    }
    const middle = start + duration / 2;
    this.view.moveTo(viewRange(middle - length / 2, middle + length / 2), true);
  }

  showRange(range: ViewRange): void {
    this.view.moveTo(range, true);
  }

  describe(place: PlacedEvent): string {
    const lane = this.timeline.lanes.find((candidate) => candidate.id === place.lane);
    const where = lane === undefined ? "" : `, ${lane.title}`;
    return `${place.name}, ${formatDuration(place.duration)} at ${formatDuration(place.start)}${where}`;
  }

  /** The visible slice of a row at a time, for example to find the iteration in the middle. */
  sliceAt(lane: number, depth: number, time: number, tolerance: number): Hit | null {
    return sliceAt(this.piecesOfLane(lane), lane, depth, time, tolerance);
  }

  setQuery(query: string): void {
    const text = query.trim();
    this.matcher = text === "" ? null : new NameMatcher(text);
    if (text === "") this.matches = [];
    this.patch({ query });
    this.invalidate("lanes");
  }

  setMatches(matches: readonly PlacedEvent[], all: boolean): void {
    this.matches = matches;
    this.allMatches = all;
    this.reportMoved();
    this.invalidate("overlay");
  }

  private async loadDetails(event: string, move: Move | null): Promise<void> {
    this.detailsRequest?.abort();
    const request = new AbortController();
    this.detailsRequest = request;
    try {
      const details = await this.api.event(event, request.signal);
      if (request.signal.aborted) return;
      const selected = this.ui.get().selected;
      // A slice of several events has its own extent; the details are only those of the longest
      // one.
      const slice = selected?.slice ?? null;
      this.patch({ selected: { event, place: details, slice, details, error: null } });
      if (move !== null) {
        this.bringIntoView(details, move);
        if (selected?.place === null) this.announce(this.describe(details));
      }
      this.invalidate("overlay");
    } catch (error) {
      if (request.signal.aborted || isAbort(error)) return;
      const { selected } = this.ui.get();
      const place = selected?.place ?? null;
      const slice = selected?.slice ?? null;
      this.patch({ selected: { event, place, slice, details: null, error: asApiError(error) } });
    }
  }
}

export function asApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  return new ApiError(0, "internal", error instanceof Error ? error.message : String(error));
}
