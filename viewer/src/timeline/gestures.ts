// Handles mouse, pen, touch and wheel on the canvas.

import type { Actions } from "./actions";
import type { Hit } from "./hit_test";
import type { Hovered } from "./hover_card";
import { pointAt } from "./point_at";
import type { TimelineModel } from "./timeline_model";

/** Smaller movements are treated as a click with an unsteady hand. */
const DRAG_FROM = 4;
/** The distance within which an edge of the selected interval can be grabbed. */
const EDGE = 5;
const LINE_PIXELS = 16;
/** A notch of a wheel is 100 or 120 pixels in browsers; touchpads send much smaller steps. */
const NOTCH_PIXELS = 60;
const ZOOM_PER_PIXEL = 0.0022;

export interface GestureListener {
  /** The item under the pointer; null if there is none, and while the view moves. */
  onHover(point: Hovered | null): void;
}

/** The item under a resting pointer is updated this long after the view stops moving. */
const REST_MS = 100;

type Drag =
  | { kind: "select"; fromX: number; fixed: number; moved: boolean }
  | { kind: "pan"; lastX: number; lastY: number };

export function wheelPixels(event: Pick<WheelEvent, "deltaMode">, delta: number): number {
  if (event.deltaMode === 1) return delta * LINE_PIXELS;
  return event.deltaMode === 2 ? delta * 400 : delta;
}

export class Gestures {
  private drag: Drag | null = null;
  /** Whether the pointer moved since it was pressed, so that its release is not a click. */
  private dragged = false;
  /**
   * A click opens the details, which changes the canvas's width, so a double click uses the first
   * hit.
   */
  private clicked: Hit | null = null;
  private pointer: { x: number; y: number } | null = null;
  private restTimer = 0;
  private readonly forgetMoved: () => void;
  private readonly abort = new AbortController();

  constructor(
    private readonly element: HTMLElement,
    private readonly model: TimelineModel,
    private readonly actions: Actions,
    private readonly listener: GestureListener,
  ) {
    const { signal } = this.abort;
    this.forgetMoved = model.onMoved(() => this.onViewMoved());
    element.addEventListener("wheel", (event) => this.onWheel(event), { passive: false, signal });
    element.addEventListener("pointerdown", (event) => this.onDown(event), { signal });
    element.addEventListener("pointermove", (event) => this.onMove(event), { signal });
    element.addEventListener("pointerup", () => this.onUp(), { signal });
    element.addEventListener("click", (event) => this.onClick(event), { signal });
    element.addEventListener("pointercancel", () => this.cancel(), { signal });
    element.addEventListener("pointerleave", () => this.onLeave(), { signal });
    element.addEventListener("dblclick", () => this.onDoubleClick(), { signal });
    // Otherwise Firefox scrolls with the middle button.
    element.addEventListener("mousedown", (event) => event.button === 1 && event.preventDefault(), {
      signal,
    });
  }

  close(): void {
    clearTimeout(this.restTimer);
    this.forgetMoved();
    this.abort.abort();
  }

  private place(event: MouseEvent): { x: number; y: number } {
    const box = this.element.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  }

  private onWheel(event: WheelEvent): void {
    event.preventDefault();
    const { view } = this.model;
    const deltaX = wheelPixels(event, event.deltaX);
    const deltaY = wheelPixels(event, event.deltaY);
    if (event.altKey) {
      this.model.scrollTo(view.scrollTop + deltaY);
    } else if (event.shiftKey || Math.abs(deltaX) > Math.abs(deltaY)) {
      const delta = Math.abs(deltaX) > Math.abs(deltaY) ? deltaX : deltaY;
      view.panPixels(delta, Math.abs(delta) >= NOTCH_PIXELS);
    } else if (deltaY !== 0) {
      // Pinching on a touchpad arrives as ctrl + wheel with small steps.
      const speed = event.ctrlKey && Math.abs(deltaY) < NOTCH_PIXELS ? 4 : 1;
      const factor = Math.exp(-deltaY * ZOOM_PER_PIXEL * speed);
      view.zoomAt(this.place(event).x, factor, Math.abs(deltaY) >= NOTCH_PIXELS);
    }
  }

  /** If the pointer is on an edge of the selected interval, the time of the other edge. */
  private otherEdge(x: number): number | null {
    const { stretch } = this.model.ui.get();
    if (stretch === null) return null;
    const { view } = this.model;
    const scale = view.width / (view.range.end - view.range.start);
    const left = (stretch.start - view.range.start) * scale;
    const right = (stretch.end - view.range.start) * scale;
    if (Math.abs(x - right) <= EDGE) return stretch.start;
    return Math.abs(x - left) <= EDGE ? stretch.end : null;
  }

  /**
   * The time of a slice's edge near the pointer, so that intervals are exact; otherwise the
   * pointer's time.
   */
  private edgeNear(x: number, y: number): number {
    const { hit, time } = pointAt(this.model, x, y);
    const { view } = this.model;
    if (hit === null) return time;
    const reach = (EDGE / view.width) * (view.range.end - view.range.start);
    const edges = [hit.start, hit.start + hit.duration];
    edges.sort((a, b) => Math.abs(a - time) - Math.abs(b - time));
    const nearest = edges[0] ?? time;
    return Math.abs(nearest - time) <= reach ? nearest : time;
  }

  private onDown(event: PointerEvent): void {
    if (event.button !== 0 && event.button !== 1) return;
    const { x, y } = this.place(event);
    this.element.setPointerCapture(event.pointerId);
    if (event.button === 1 || event.shiftKey || event.pointerType === "touch") {
      this.drag = { kind: "pan", lastX: x, lastY: y };
      this.element.style.cursor = "grabbing";
    } else {
      const fixed = this.otherEdge(x) ?? this.edgeNear(x, y);
      this.drag = { kind: "select", fromX: x, fixed, moved: false };
    }
  }

  private onMove(event: PointerEvent): void {
    const { x, y } = this.place(event);
    const { model, drag } = this;
    if (drag?.kind === "pan") {
      model.view.panPixels(drag.lastX - x, false);
      if (y !== drag.lastY) model.scrollTo(model.view.scrollTop + drag.lastY - y);
      drag.lastX = x;
      drag.lastY = y;
      return;
    }
    model.pointerX = x;
    this.pointer = { x, y };
    if (drag?.kind === "select") {
      drag.moved ||= Math.abs(x - drag.fromX) >= DRAG_FROM;
      if (drag.moved) {
        const at = this.edgeNear(Math.min(Math.max(x, 0), model.view.width), y);
        model.draft = { start: Math.min(drag.fixed, at), end: Math.max(drag.fixed, at) };
        this.setHover(null);
      }
    } else {
      this.hoverAt(x, y);
    }
    model.redrawOverlay();
  }

  private hoverAt(x: number, y: number): void {
    const { hit, value } = pointAt(this.model, x, y);
    this.setHover(hit === null && value === null ? null : { hit, value, x, y });
    const edge = this.otherEdge(x) !== null;
    this.element.style.cursor = edge ? "ew-resize" : hit === null ? "default" : "pointer";
  }

  private setHover(point: Hovered | null): void {
    this.model.hover = point?.hit ?? null;
    this.listener.onHover(point);
  }

  private onViewMoved(): void {
    if (this.pointer === null) return;
    clearTimeout(this.restTimer);
    if (this.model.view.moving) this.setHover(null);
    this.restTimer = window.setTimeout(() => {
      if (this.pointer === null || this.drag !== null) return;
      this.hoverAt(this.pointer.x, this.pointer.y);
      this.model.redrawOverlay();
    }, REST_MS);
  }

  private onUp(): void {
    const { model, drag } = this;
    this.drag = null;
    this.element.style.cursor = "default";
    this.dragged = drag?.kind === "pan" || (drag?.kind === "select" && drag.moved);
    if (drag?.kind === "select" && drag.moved && model.draft !== null)
      model.setStretch(model.draft);
  }

  private onClick(event: MouseEvent): void {
    if (this.dragged || event.detail > 1) return;
    const { x, y } = this.place(event);
    const { hit } = pointAt(this.model, x, y);
    this.clicked = hit;
    if (hit !== null) this.model.select(hit, "none");
    else this.model.clearSelection();
  }

  private onDoubleClick(): void {
    if (this.clicked !== null) this.actions.zoomTo(this.clicked);
  }

  private onLeave(): void {
    if (this.drag !== null) return;
    this.model.pointerX = null;
    this.pointer = null;
    this.setHover(null);
    this.model.redrawOverlay();
  }

  private cancel(): void {
    this.drag = null;
    this.model.draft = null;
    this.model.redrawOverlay();
  }
}
