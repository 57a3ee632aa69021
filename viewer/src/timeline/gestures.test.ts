import { afterEach, describe, expect, it, vi } from "vitest";
import { Actions } from "./actions";
import { Gestures, wheelPixels } from "./gestures";
import { headerHeight } from "./scene";
import { encodeTile } from "./tile_test_data";
import { TimelineModel } from "./timeline_model";
import { testTimeline } from "./timeline_test_data";
import { viewRange } from "./view_range";

const KERNEL = { lane: 4, depth: 0, start: 400_000, duration: 200_000, event: 7, table: 2 };

/** One pixel is a thousand nanoseconds. */
async function setup() {
  const api = {
    base: "",
    offline: false,
    tile: async () => encodeTile([KERNEL]),
    event: () => new Promise<never>(() => undefined),
    search: () => new Promise<never>(() => undefined),
    gaps: () => new Promise<never>(() => undefined),
  };
  const model = new TimelineModel(testTimeline(), api, { reducedMotion: () => true });
  model.view.width = 1000;
  model.view.height = 300;
  model.lanesHeight = 250;
  model.updatePieces();
  await vi.waitFor(() => {
    model.updatePieces();
    expect(model.piecesOfLane(4).length).toBeGreaterThan(0);
  });
  const element = document.createElement("div");
  element.setPointerCapture = () => undefined;
  document.body.append(element);
  const onHover = vi.fn();
  opened = new Gestures(element, model, new Actions(model), { onHover });
  const kernelY = headerHeight(model.layout) + (model.layout.lanes.get(4)?.rowTop ?? 0) + 5;
  const mouse = (type: string, x: number, y: number, more: MouseEventInit = {}) =>
    element.dispatchEvent(
      new MouseEvent(type, { clientX: x, clientY: y, bubbles: true, cancelable: true, ...more }),
    );
  const click = (x: number, y: number, detail = 1) => {
    mouse("pointerdown", x, y);
    mouse("pointerup", x, y);
    mouse("click", x, y, { detail });
  };
  const drag = (fromX: number, toX: number, y: number, more: MouseEventInit = {}) => {
    mouse("pointerdown", fromX, y, more);
    mouse("pointermove", (fromX + toX) / 2, y, more);
    mouse("pointermove", toX, y, more);
    mouse("pointerup", toX, y, more);
    if (!more.button) mouse("click", toX, y, { detail: 1 });
  };
  const wheel = (x: number, deltaX: number, deltaY: number, more: WheelEventInit = {}) =>
    element.dispatchEvent(
      new WheelEvent("wheel", { clientX: x, deltaX, deltaY, cancelable: true, ...more }),
    );
  return { model, kernelY, mouse, click, drag, wheel, onHover };
}

let opened: Gestures | null = null;

afterEach(() => {
  opened?.close();
  document.body.replaceChildren();
});

describe("the mouse", () => {
  it("selects the clicked slice, and clears the selection elsewhere", async () => {
    const { model, click, kernelY } = await setup();
    click(500, kernelY);
    expect(model.ui.get().selected?.event).toBe("gpu:7");
    click(900, kernelY);
    expect(model.ui.get().selected).toBeNull();
  });

  it("a double click zooms to the slice under the first click", async () => {
    const { model, click, mouse, kernelY } = await setup();
    click(500, kernelY);
    // The details have opened in the meantime, so another slice is under the pointer.
    model.view.width = 600;
    click(500, kernelY, 2);
    mouse("dblclick", 500, kernelY);
    expect(model.view.range.start).toBeCloseTo(392_000);
    expect(model.view.range.end).toBeCloseTo(608_000);
  });

  it("selects an interval by dragging, snapping to edges of slices", async () => {
    const { model, drag, kernelY } = await setup();
    drag(100, 300, kernelY);
    expect(model.ui.get().stretch).toEqual({ start: 100_000, end: 300_000 });
    drag(397, 603, kernelY);
    expect(model.ui.get().stretch).toEqual({ start: 400_000, end: 600_000 });
    expect(model.ui.get().selected).toBeNull();
  });

  it("moves an edge of the selected interval", async () => {
    const { model, drag, kernelY } = await setup();
    model.setStretch({ start: 100_000, end: 300_000 });
    drag(301, 350, kernelY);
    expect(model.ui.get().stretch).toEqual({ start: 100_000, end: 350_000 });
  });

  it("moves the view with shift or the middle button", async () => {
    const { model, drag } = await setup();
    model.view.moveTo(viewRange(200_000, 400_000), false);
    drag(500, 400, 100, { shiftKey: true });
    expect(model.view.range.start).toBeCloseTo(220_000);
    drag(500, 600, 100, { button: 1 });
    expect(model.view.range.start).toBeCloseTo(200_000);
    expect(model.ui.get().stretch).toBeNull();
  });

  it("reports the item under the pointer", async () => {
    const { model, mouse, kernelY, onHover } = await setup();
    mouse("pointermove", 500, kernelY);
    expect(onHover).toHaveBeenLastCalledWith(
      expect.objectContaining({ hit: expect.objectContaining({ event: "gpu:7" }) }),
    );
    expect(model.hover?.event).toBe("gpu:7");
    mouse("pointerleave", 500, kernelY);
    expect(model.hover).toBeNull();
    expect(model.pointerX).toBeNull();
  });
});

describe("the wheel", () => {
  it("zooms where the pointer is", async () => {
    const { model, wheel } = await setup();
    wheel(250, 0, -200);
    const { start, end } = model.view.range;
    expect(end - start).toBeLessThan(800_000);
    expect((250_000 - start) / (end - start)).toBeCloseTo(0.25);
    wheel(250, 0, 2000);
    expect(model.view.range).toEqual(viewRange(0, 1_000_000));
  });

  it("moves with shift or sideways, and scrolls with alt", async () => {
    const { model, wheel } = await setup();
    model.view.moveTo(viewRange(200_000, 400_000), false);
    wheel(500, 0, 100, { shiftKey: true });
    expect(model.view.range.start).toBeCloseTo(220_000);
    wheel(500, -100, 10);
    expect(model.view.range.start).toBeCloseTo(200_000);
    model.lanesHeight = 50;
    wheel(500, 0, 40, { altKey: true });
    expect(model.view.scrollTop).toBe(40);
  });

  it("understands lines and pages", () => {
    expect(wheelPixels({ deltaMode: 0 }, 3)).toBe(3);
    expect(wheelPixels({ deltaMode: 1 }, 3)).toBe(48);
    expect(wheelPixels({ deltaMode: 2 }, 1)).toBe(400);
  });
});
