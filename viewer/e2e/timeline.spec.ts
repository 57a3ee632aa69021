import type {
  EventDetails,
  Gap,
  SearchAnswer,
  SelectionSum,
  Timeline,
} from "../src/base/api_types";
import { formatCount, formatDuration } from "../src/base/units";
import { expect, test } from "./support/fixtures";
import type { Viewer } from "./support/viewer";

const PROFILE = "gpt2_bf16";

interface Range {
  start: number;
  end: number;
}

function surface(viewer: Viewer) {
  return viewer.page.getByRole("application");
}

async function box(viewer: Viewer) {
  const found = await surface(viewer).boundingBox();
  if (!found) throw new Error("no timeline");
  return found;
}

/** The visible range according to the URL. */
function visible(viewer: Viewer, whole: number): Range {
  const number = (name: string, otherwise: number) => Number(viewer.params.get(name) ?? otherwise);
  return { start: number("start", 0), end: number("end", whole) };
}

/** The range after it has changed and stopped moving. */
async function moved(viewer: Viewer, from: Range, whole: number): Promise<Range> {
  await expect.poll(() => visible(viewer, whole)).not.toEqual(from);
  await viewer.idle();
  return visible(viewer, whole);
}

async function openAt(viewer: Viewer, params: Record<string, string | number> = {}) {
  await viewer.open(PROFILE, "timeline", { params });
  return viewer.api<Timeline>(PROFILE, "timeline");
}

function details(viewer: Viewer, event: string): Promise<EventDetails> {
  return viewer.api<EventDetails>(PROFILE, `timeline/events/${event}`);
}

/** The vertical center of a lane's last row: streams have annotations above their work. */
async function laneY(viewer: Viewer, title: string): Promise<number> {
  const lane = viewer.page.locator(".tl-lane-title").filter({ hasText: title }).first();
  const place = await lane.boundingBox();
  if (!place) throw new Error(`no lane ${title}`);
  return place.y + place.height - 14;
}

test("the wheel zooms at the pointer", async ({ viewer }) => {
  const { end } = await openAt(viewer);
  const { x, y, width } = await box(viewer);
  const before = { start: 0, end };
  const share = 0.25;
  await viewer.page.mouse.move(x + width * share, y + 120);
  await viewer.page.mouse.wheel(0, -300);
  const zoomed = await moved(viewer, before, end);
  const length = zoomed.end - zoomed.start;
  expect(length).toBeLessThan(end * 0.7);
  // The time under the pointer is unchanged.
  const pixel = end / width;
  expect(Math.abs(zoomed.start + length * share - end * share)).toBeLessThan(2 * pixel);
  await viewer.page.mouse.wheel(0, 3000);
  const out = await moved(viewer, zoomed, end);
  expect(out).toEqual(before);
});

test("zoom and pan by keyboard", async ({ viewer }) => {
  const { end } = await openAt(viewer);
  await surface(viewer).focus();
  const whole = { start: 0, end };
  await viewer.page.keyboard.press("w");
  const near = await moved(viewer, whole, end);
  expect((near.end - near.start) / end).toBeCloseTo(1 / 1.6, 2);
  await viewer.page.keyboard.press("d");
  const right = await moved(viewer, near, end);
  expect(right.start).toBeGreaterThan(near.start);
  expect(right.end - right.start).toBeCloseTo(near.end - near.start, -1);
  await viewer.page.keyboard.press("a");
  const left = await moved(viewer, right, end);
  expect(left.start).toBeLessThan(right.start);
  await viewer.page.keyboard.press("s");
  await moved(viewer, left, end);
  await viewer.page.keyboard.press("w");
  await viewer.page.keyboard.press("w");
  await viewer.page.keyboard.press("0");
  await expect.poll(() => visible(viewer, end)).toEqual(whole);
});

test("dragging with shift and the buttons move and zoom", async ({ viewer }) => {
  const { end } = await openAt(viewer, { start: 50_000_000, end: 60_000_000 });
  const { x, y, width } = await box(viewer);
  const before = { start: 50_000_000, end: 60_000_000 };
  await viewer.page.mouse.move(x + 600, y + 150);
  await viewer.page.keyboard.down("Shift");
  await viewer.page.mouse.down();
  await viewer.page.mouse.move(x + 400, y + 150, { steps: 4 });
  await viewer.page.mouse.up();
  await viewer.page.keyboard.up("Shift");
  const after = await moved(viewer, before, end);
  expect(after.start - before.start).toBeCloseTo((200 / width) * 10_000_000, -5);
  expect(after.end - after.start).toBe(10_000_000);
  await viewer.page.getByRole("button", { name: "Zoom in" }).click();
  const near = await moved(viewer, after, end);
  expect(near.end - near.start).toBeLessThan(10_000_000);
  await viewer.page.getByRole("button", { name: "Whole run" }).click();
  await expect.poll(() => visible(viewer, end)).toEqual({ start: 0, end });
});

test("a click shows an event's details, and its links lead on", async ({ viewer }) => {
  const { page } = viewer;
  const kernel = await longestKernel(viewer);
  const air = kernel.duration;
  await openAt(viewer, { start: kernel.start - air, end: kernel.start + 2 * air });
  const { x, width } = await box(viewer);
  const stream = (await viewer.api<Timeline>(PROFILE, "timeline")).lanes.find(
    ({ id }) => id === kernel.lane,
  );
  const y = await laneY(viewer, stream?.title ?? "");
  await page.mouse.move(x + width / 2, y);
  await expect(page.locator(".tl-hover")).toContainText(formatDuration(kernel.duration));
  await page.mouse.click(x + width / 2, y);
  await expect.poll(() => viewer.params.get("event")).toBe(kernel.event);
  const pane = page.getByRole("complementary", { name: "Details" });
  await expect(pane).toContainText("Kernel");
  await expect(pane).toContainText(formatDuration(kernel.duration));
  for (const { name, value } of kernel.fields) await expect(pane).toContainText(`${name}${value}`);
  // From the kernel to its launch, from there to the op, and back through the links.
  const launch = kernel.links.find(({ role }) => role === "launch");
  await follow(viewer, "Launched by");
  await expect.poll(() => viewer.params.get("event")).toBe(launch?.event);
  await expect(pane.getByRole("heading", { name: "GPU work" })).toBeVisible();
  await follow(viewer, "GPU work");
  await expect.poll(() => viewer.params.get("event")).toBe(kernel.event);
});

async function longestKernel(viewer: Viewer): Promise<EventDetails> {
  const { end } = await viewer.api<Timeline>(PROFILE, "timeline");
  const sums = await viewer.api<SelectionSum>(PROFILE, `timeline/selection?start=0&end=${end}`);
  const event = sums.kernels.top[0]?.event ?? "";
  return details(viewer, event);
}

test("an interval selected by dragging has the API's time breakdown", async ({ viewer }) => {
  const { page } = viewer;
  await openAt(viewer, { start: 60_000_000, end: 100_000_000 });
  const { x, y, width, height } = await box(viewer);
  await page.mouse.move(x + width * 0.2, y + height - 20);
  await page.mouse.down();
  await page.mouse.move(x + width * 0.6, y + height - 20, { steps: 6 });
  await page.mouse.up();
  await expect.poll(() => viewer.params.get("sel")).not.toBeNull();
  await viewer.idle();
  const [start, end] = (viewer.params.get("sel") ?? "").split("-").map(Number);
  expect(Math.abs((end ?? 0) - (start ?? 0) - 16_000_000)).toBeLessThan(1_000_000);
  const sums = await viewer.api<SelectionSum>(
    PROFILE,
    `timeline/selection?start=${start}&end=${end}`,
  );
  const pane = page.getByRole("complementary", { name: "Details" });
  for (const { name, ns } of sums.resources.filter((share) => share.ns > 0)) {
    const share = pane.getByRole("listitem").filter({ has: page.getByText(name, { exact: true }) });
    await expect(share.first()).toContainText(formatDuration(ns));
  }
  await expect(pane.getByRole("heading", { name: /^Kernels/ })).toContainText(
    formatCount(sums.kernels.count),
  );
  await surface(viewer).focus();
  await page.keyboard.press("Escape");
  await expect.poll(() => viewer.params.get("sel")).toBeNull();
});

test("search counts, marks and steps through the matches", async ({ viewer }) => {
  const { page } = viewer;
  const { end } = await openAt(viewer);
  const answer = await viewer.api<SearchAnswer>(PROFILE, "timeline/search?q=nvjet&limit=3");
  expect(answer.total).toBeGreaterThan(100);
  await surface(viewer).focus();
  await page.keyboard.press("/");
  const field = page.getByLabel("Search events by name");
  await expect(field).toBeFocused();
  await page.keyboard.type("nvjet");
  await expect(page.locator(".tl-search-count")).toHaveText(formatCount(answer.total));
  await page.keyboard.press("Enter");
  await expect(page.locator(".tl-search-count")).toHaveText(`1 of ${formatCount(answer.total)}`);
  await expect.poll(() => viewer.params.get("event")).toBe(answer.matches[0]?.event);
  await page.keyboard.press("Enter");
  await expect.poll(() => viewer.params.get("event")).toBe(answer.matches[1]?.event);
  await surface(viewer).focus();
  await page.keyboard.press("n");
  await expect.poll(() => viewer.params.get("event")).toBe(answer.matches[2]?.event);
  await page.keyboard.press("p");
  await expect.poll(() => viewer.params.get("event")).toBe(answer.matches[1]?.event);
  await page.getByRole("button", { name: "List of matches" }).click();
  const list = page.getByRole("complementary", { name: "Details" }).getByRole("listitem");
  await expect(list).toHaveCount(Math.min(100, answer.total));
  await field.fill("no event is called this");
  await expect(page.locator(".tl-search-count")).toHaveText("0");
  expect(visible(viewer, end).end).toBeGreaterThan(0);
});

test("keys go from event to event, to gaps and to iterations", async ({ viewer }) => {
  const { page } = viewer;
  const { gaps } = await viewer.api<{ gaps: Gap[] }>(PROFILE, "timeline/gaps?limit=2");
  await openAt(viewer);
  await surface(viewer).focus();
  await page.keyboard.press("g");
  await expect.poll(() => viewer.params.get("event")).toBe(gaps[0]?.event);
  await page.keyboard.press("g");
  await expect.poll(() => viewer.params.get("event")).toBe(gaps[1]?.event);
  await page.keyboard.press("Escape");
  await page.keyboard.press("0");
  await expect.poll(() => viewer.params.get("event")).toBeNull();
  await page.keyboard.press("i");
  await expect.poll(() => viewer.params.get("event")).toMatch(/^iteration:/);
  const first = viewer.params.get("event") ?? "";
  await page.keyboard.press("i");
  const next = `iteration:${Number(first.split(":")[1]) + 1}`;
  await expect.poll(() => viewer.params.get("event")).toBe(next);
  await page.keyboard.press("Shift+I");
  await expect.poll(() => viewer.params.get("event")).toBe(first);
  await page.keyboard.press("b");
  const iteration = await details(viewer, first);
  await expect
    .poll(() => viewer.params.get("sel"))
    .toBe(`${iteration.start}-${iteration.start + iteration.duration}`);
  await page.keyboard.press("Escape");
  await expect.poll(() => viewer.params.get("sel")).toBeNull();
});

test("arrows move along a row and between rows, Enter goes to the details", async ({ viewer }) => {
  const { page } = viewer;
  const matches = (
    await viewer.api<SearchAnswer>(PROFILE, "timeline/search?q=aten::linear&limit=5")
  ).matches;
  const op = matches[2];
  await openAt(viewer, { event: op?.event ?? "" });
  await surface(viewer).focus();
  await page.keyboard.press("ArrowUp");
  await expect.poll(() => viewer.params.get("event")).not.toBe(op?.event);
  const parent = await details(viewer, viewer.params.get("event") ?? "");
  expect(parent.start).toBeLessThanOrEqual(op?.start ?? 0);
  expect(parent.start + parent.duration).toBeGreaterThanOrEqual(
    (op?.start ?? 0) + (op?.duration ?? 0),
  );
  await page.keyboard.press("ArrowRight");
  await expect.poll(() => viewer.params.get("event")).not.toBe(parent.event);
  const next = await details(viewer, viewer.params.get("event") ?? "");
  expect(next.start).toBeGreaterThanOrEqual(parent.start + parent.duration);
  expect([next.lane, next.depth]).toEqual([parent.lane, parent.depth]);
  await page.keyboard.press("Enter");
  await expect(page.getByRole("complementary", { name: "Details" })).toBeFocused();
});

test("forward and backward ops link to each other", async ({ viewer }) => {
  const { page } = viewer;
  const { matches } = await viewer.api<SearchAnswer>(
    PROFILE,
    "timeline/search?q=aten::addmm&limit=1",
  );
  const op = await details(viewer, matches[0]?.event ?? "");
  const backward = op.links.find(({ role }) => role === "backward");
  expect(backward).toBeDefined();
  await openAt(viewer, { event: op.event });
  await follow(viewer, /^Backward/);
  await expect.poll(() => viewer.params.get("event")).toBe(backward?.event);
  await follow(viewer, /^Forward/);
  await expect.poll(() => viewer.params.get("event")).toBe(op.event);
  await expect(page.getByRole("complementary", { name: "Details" })).toContainText("aten::addmm");
});

/** The first of an event's links under a heading. */
async function follow(viewer: Viewer, heading: string | RegExp): Promise<void> {
  const pane = viewer.page.getByRole("complementary", { name: "Details" });
  const section = pane.locator("section").filter({
    has: viewer.page.getByRole("heading", { name: heading }),
  });
  await section.getByRole("button").first().click();
}

test("lanes fold and unfold, by mouse and keyboard", async ({ viewer }) => {
  const { page } = viewer;
  await openAt(viewer);
  const lane = page.locator(".tl-lane-title.tl-foldable").first();
  const open = await lane.getAttribute("aria-expanded");
  const height = (await lane.boundingBox())?.height ?? 0;
  await lane.click();
  await expect(lane).not.toHaveAttribute("aria-expanded", open ?? "");
  await expect.poll(async () => (await lane.boundingBox())?.height).not.toBe(height);
  await expect.poll(() => viewer.params.get("flip")).not.toBeNull();
  await lane.focus();
  await page.keyboard.press("Enter");
  await expect(lane).toHaveAttribute("aria-expanded", open ?? "");
});

test("the help lists the keys, and the gap list the longest gaps", async ({ viewer }) => {
  const { page } = viewer;
  const { gaps } = await viewer.api<{ gaps: Gap[] }>(PROFILE, "timeline/gaps?limit=50");
  await openAt(viewer);
  await surface(viewer).focus();
  await page.keyboard.press("?");
  const help = page.getByRole("dialog");
  await expect(help).toContainText("Zoom to the selection");
  await page.keyboard.press("Escape");
  await expect(help).toHaveCount(0);
  await page.getByRole("button", { name: "List of gaps" }).click();
  const list = page.getByRole("complementary", { name: "Details" }).getByRole("listitem");
  await expect(list).toHaveCount(Math.min(50, gaps.length));
  await expect(list.nth(3)).toContainText(formatDuration(gaps[3]?.duration ?? 0));
  await list.nth(3).getByRole("button").click();
  await expect.poll(() => viewer.params.get("event")).toBe(gaps[3]?.event);
});

test("something is drawn, in the colors of the legend", async ({ viewer }) => {
  await openAt(viewer);
  const colors = await surface(viewer)
    .locator("canvas")
    .first()
    .evaluate((canvas) => {
      const { width, height } = canvas as HTMLCanvasElement;
      const data = (canvas as HTMLCanvasElement)
        .getContext("2d")
        ?.getImageData(0, 0, width, height).data;
      const seen = new Set<number>();
      for (let i = 0; data && i < data.length; i += 4)
        seen.add(((data[i] ?? 0) << 16) | ((data[i + 1] ?? 0) << 8) | (data[i + 2] ?? 0));
      return seen.size;
    });
  expect(colors).toBeGreaterThan(8);
});
