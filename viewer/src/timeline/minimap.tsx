import { useEffect, useRef } from "react";
import { useTheme } from "../base/theme";
import { formatDuration } from "../base/units";
import { drawMinimap } from "./draw_minimap";
import { makePalette } from "./palette";
import { decodeTile, type Tile } from "./tile";
import type { TimelineModel } from "./timeline_model";
import { useUi } from "./use_model";
import { viewRange } from "./view_range";

/** Two tiles have 2048 buckets: more than the pixels of most screens. */
const LEVEL = 1;

async function loadOverview(model: TimelineModel, signal: AbortSignal): Promise<Tile[]> {
  const { timeline, api } = model;
  const lanes = timeline.lanes
    .filter((lane) => lane.kind === "utilization" || lane.kind === "iterations")
    .map((lane) => lane.id)
    .join(",");
  if (lanes === "") return [];
  const level = Math.min(LEVEL, timeline.max_level);
  const tiles: Tile[] = [];
  for (let index = 0; index * (timeline.span / 2 ** level) < timeline.end; ++index) {
    tiles.push(decodeTile(await api.tile(level, index, lanes, signal)));
  }
  return tiles;
}

/** Shows the whole run as a strip, with the visible part as a window that can be dragged. */
export function Minimap({ model }: { model: TimelineModel }) {
  const { query, stretch } = useUi(model);
  const theme = useTheme();
  const canvasRef = useRef<HTMLCanvasElement>(null);
  const windowRef = useRef<HTMLDivElement>(null);
  const stripRef = useRef<HTMLDivElement>(null);
  const tiles = useRef<readonly Tile[]>([]);
  const redraw = useRef<() => void>(() => undefined);

  useEffect(() => {
    const canvas = canvasRef.current;
    const strip = stripRef.current;
    if (canvas === null || strip === null) return;
    const draw = () => {
      const dpr = window.devicePixelRatio || 1;
      canvas.width = Math.max(1, Math.round(strip.clientWidth * dpr));
      canvas.height = Math.max(1, Math.round(strip.clientHeight * dpr));
      const ctx = canvas.getContext("2d", { alpha: false });
      if (ctx === null) return;
      const palette = makePalette(model.timeline.categories, theme);
      // Showing only some matches would suggest that there are none elsewhere.
      const matches = model.allMatches ? model.matches : [];
      drawMinimap(ctx, model.timeline, tiles.current, palette, matches, model.ui.get().stretch);
    };
    redraw.current = draw;
    const observer = new ResizeObserver(draw);
    observer.observe(strip);
    return () => observer.disconnect();
  }, [model, theme]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: the drawing depends on these
  useEffect(() => redraw.current(), [query, stretch, theme]);

  useEffect(() => {
    const abort = new AbortController();
    loadOverview(model, abort.signal).then(
      (loaded) => {
        tiles.current = loaded;
        redraw.current();
      },
      // The lanes below show the same data and report errors.
      () => undefined,
    );
    return () => abort.abort();
  }, [model]);

  useEffect(() => {
    const follow = () => {
      const box = windowRef.current;
      const { start, end } = model.view.range;
      const whole = Math.max(model.timeline.end, 1);
      if (box === null) return;
      box.style.left = `${(100 * start) / whole}%`;
      box.style.width = `${Math.max((100 * (end - start)) / whole, 0)}%`;
      box.setAttribute("aria-valuenow", String(Math.round((50 * (start + end)) / whole)));
      box.setAttribute("aria-valuetext", `${formatDuration(start)} to ${formatDuration(end)}`);
    };
    follow();
    return model.onMoved(follow);
  }, [model]);

  const timeAt = (clientX: number) => {
    const box = stripRef.current?.getBoundingClientRect();
    if (box === undefined || box.width === 0) return 0;
    return ((clientX - box.left) / box.width) * model.timeline.end;
  };

  return (
    <div className="tl-minimap">
      <div className="tl-minimap-title">Whole run</div>
      <div
        className="tl-minimap-strip"
        ref={stripRef}
        onPointerDown={(event) => {
          if (event.button !== 0) return;
          event.preventDefault();
          const { range } = model.view;
          const at = timeAt(event.clientX);
          const edge = edgeOf(event.target);
          const length = range.end - range.start;
          const inside = at >= range.start && at <= range.end;
          const offset = inside ? at - range.start : length / 2;
          const move = (clientX: number) => {
            const now = timeAt(clientX);
            if (edge === "start") model.view.moveTo(viewRange(now, range.end), false);
            else if (edge === "end") model.view.moveTo(viewRange(range.start, now), false);
            else model.view.moveTo(viewRange(now - offset, now - offset + length), false);
          };
          move(event.clientX);
          const strip: HTMLElement = event.currentTarget;
          strip.setPointerCapture(event.pointerId);
          const abort = new AbortController();
          const { signal } = abort;
          strip.addEventListener("pointermove", (moved) => move(moved.clientX), { signal });
          strip.addEventListener("pointerup", () => abort.abort(), { signal });
          strip.addEventListener("pointercancel", () => abort.abort(), { signal });
        }}
      >
        <canvas ref={canvasRef} />
        <div
          className="tl-minimap-window"
          ref={windowRef}
          role="slider"
          aria-label="Visible part of the run"
          aria-valuemin={0}
          aria-valuemax={100}
          aria-valuenow={50}
          tabIndex={0}
          onKeyDown={(event) => {
            const direction = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
            if (direction === 0) return;
            event.preventDefault();
            model.view.panPixels(direction * model.view.width * 0.25, true);
          }}
        >
          <span className="tl-minimap-edge" data-edge="start" />
          <span className="tl-minimap-edge" data-edge="end" />
        </div>
      </div>
    </div>
  );
}

function edgeOf(target: EventTarget): string | undefined {
  return target instanceof HTMLElement ? target.dataset.edge : undefined;
}
