import { type RefObject, useEffect, useRef, useState } from "react";
import { createStore } from "../base/store";
import { useTheme } from "../base/theme";
import { Gestures } from "./gestures";
import { HoverCard, type Hovered } from "./hover_card";
import { Painter } from "./painter";
import { headerHeight } from "./scene";
import { Titles } from "./titles";
import { type TimelineHandle, useUi } from "./use_model";

export interface StageProps {
  handle: TimelineHandle;
  surfaceRef: RefObject<HTMLDivElement | null>;
}

/**
 * Calls the listener if the window moves to a screen with another pixel density, which changes no
 * size.
 */
function onDensityChange(listener: () => void): () => void {
  if (typeof window.matchMedia !== "function") return () => undefined;
  let forget: () => void = () => undefined;
  const watch = () => {
    const query = window.matchMedia(`(resolution: ${window.devicePixelRatio}dppx)`);
    const changed = () => {
      listener();
      watch();
    };
    query.addEventListener("change", changed, { once: true });
    forget = () => query.removeEventListener("change", changed);
  };
  watch();
  return () => forget();
}

/**
 * Titles, canvases and scroll bar. React renders this if lanes fold or the theme changes, not per
 * frame.
 */
export function Stage({ handle, surfaceRef }: StageProps) {
  const { model, actions } = handle;
  const { layout } = useUi(model);
  const theme = useTheme();
  const lanesRef = useRef<HTMLCanvasElement>(null);
  const overlayRef = useRef<HTMLCanvasElement>(null);
  const frameRef = useRef<HTMLDivElement>(null);
  const scrollRef = useRef<HTMLDivElement>(null);
  const painterRef = useRef<Painter | null>(null);
  // Outside React's state, since moving the pointer must not render the titles again.
  const [hovered] = useState(() => createStore<Hovered | null>(null));

  useEffect(() => {
    const lanes = lanesRef.current;
    const overlay = overlayRef.current;
    const surface = surfaceRef.current;
    const frame = frameRef.current;
    if (lanes === null || overlay === null || frame === null || surface === null) return;
    const painter = new Painter(model, lanes, overlay, () => model.reportMoved());
    painterRef.current = painter;
    model.setPainter((layer) => painter.invalidate(layer));
    const resize = () => painter.resize(frame.clientWidth, frame.clientHeight);
    const observer = new ResizeObserver(resize);
    observer.observe(frame);
    resize();
    const forgetDensity = onDensityChange(resize);
    const gestures = new Gestures(surface, model, actions, {
      onHover: (point) => hovered.set(point),
    });
    return () => {
      observer.disconnect();
      forgetDensity();
      gestures.close();
      model.setPainter(null);
      painter.close();
      painterRef.current = null;
    };
  }, [model, actions, surfaceRef, hovered]);

  useEffect(() => painterRef.current?.setTheme(theme), [theme]);

  useEffect(() => {
    const scroll = scrollRef.current;
    if (scroll === null) return;
    return model.onMoved(() => {
      if (Math.abs(scroll.scrollTop - model.view.scrollTop) >= 1) {
        scroll.scrollTop = model.view.scrollTop;
      }
    });
  }, [model]);

  return (
    <div className="tl-stage">
      <Titles model={model} />
      <div className="tl-frame" ref={frameRef}>
        <div
          ref={surfaceRef}
          className="tl-surface"
          role="application"
          aria-label="Timeline. Arrow keys go from event to event, W and S zoom, A and D move, question mark lists all keys."
          // biome-ignore lint/a11y/noNoninteractiveTabindex: it is focused to be operated by keys
          tabIndex={0}
        >
          <canvas ref={lanesRef} className="tl-canvas" />
          <canvas ref={overlayRef} className="tl-canvas tl-overlay" />
        </div>
        <HoverCard model={model} store={hovered} frame={frameRef} />
      </div>
      <div
        className="tl-scroll"
        ref={scrollRef}
        tabIndex={-1}
        aria-hidden="true"
        style={{ marginTop: headerHeight(layout) }}
        onScroll={(event) => {
          const { scrollTop } = event.currentTarget;
          if (Math.abs(scrollTop - model.view.scrollTop) >= 1) model.scrollTo(scrollTop);
        }}
      >
        <div style={{ height: layout.height }} />
      </div>
    </div>
  );
}
