import type { Aggregation, Dashboard } from "../src/base/api_types";
import { shownFields } from "./support/fields";
import { expect, profilePath, test } from "./support/fixtures";
import { reportRows } from "./support/program";
import { getJson, logIn } from "./support/server";
import { useLocalSite, Viewer } from "./support/viewer";
import { VIEWS } from "./support/views";

const PROFILE = "gpt2_bf16";

async function reAggregate(viewer: Viewer): Promise<void> {
  await viewer.page.getByRole("button", { name: "Re-aggregate" }).click();
  const dialog = viewer.page.getByRole("dialog", { name: "Re-aggregate?" });
  await dialog.getByRole("button", { name: "Re-aggregate" }).click();
}

async function content(viewer: Viewer): Promise<string> {
  return (await viewer.page.getByRole("main").textContent()) ?? "";
}

test("changes all views", async ({ serve }) => {
  const viewer = await serve([profilePath(PROFILE)]);
  const { page } = viewer;
  const before = new Map<string, string>();
  for (const view of VIEWS) {
    await viewer.open(PROFILE, view.id);
    before.set(view.id, await content(viewer));
  }
  await viewer.open(PROFILE, "iterations");
  await page.getByLabel("Start", { exact: true }).fill("1");
  await page.getByLabel("Stop", { exact: true }).fill("2");
  await reAggregate(viewer);
  await expect(page).toHaveURL(/agg=1-2/);
  await viewer.idle();
  await expect(page.locator(".view-head")).toContainText("Profiled 2");

  // These cover the whole trace, whatever is aggregated; the timeline only marks iterations.
  const same = new Set(["sql", "timeline", "trust", "reports"]);
  for (const view of VIEWS) {
    await viewer.open(PROFILE, view.id, { agg: "1-2" });
    await viewer.noErrors();
    if (!same.has(view.id)) expect(await content(viewer), view.id).not.toBe(before.get(view.id));
  }

  await viewer.open(PROFILE, "dashboard", { agg: "1-2" });
  const shown = new Map((await shownFields(page)).map(({ field, value }) => [field, value]));
  const cli = await reportRows(
    profilePath(PROFILE),
    "summary",
    "--iter-start",
    "1",
    "--iter-stop",
    "2",
  );
  const value = (name: string) => Number(cli.find((row) => row.Name === name)?.Value);
  expect(Number(shown.get("summary.wall_clock.value"))).toBe(value("Wall Clock Time"));
  expect(Number(shown.get("step.average_ns"))).toBe(value("Average Iteration Time"));
  expect(Number(shown.get("kernels.all.gpu_ns"))).toBe(value("All kernels: GPU Time"));
  expect(Number(shown.get("gpu_utilization.percent"))).toBeCloseTo(value("GPU Utilization"), 9);
  expect(shown.get("iterations.first")).toBe("1");
  expect(shown.get("iterations.last")).toBe("2");

  const menu = viewer.aggregationMenu;
  await expect(menu).toHaveText(/1–2/);
  await menu.click();
  await page.getByRole("menuitemradio", { name: /^Default: 0–3/ }).click();
  await viewer.idle();
  expect(await content(viewer)).toBe(before.get("dashboard"));

  await menu.click();
  await page.getByRole("menuitem", { name: "Delete 1–2" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await expect(menu).toHaveCount(0);
});

test("the boundary bars move by keyboard, mouse and wheel", async ({ viewer }) => {
  const { page } = viewer;
  await viewer.open(PROFILE, "iterations");
  const first = page.getByRole("slider", { name: "First iteration" });
  const last = page.getByRole("slider", { name: "Last iteration" });
  const start = page.getByLabel("Start", { exact: true });
  await first.focus();
  await page.keyboard.press("ArrowRight");
  await expect(start).toHaveValue("1");
  await page.keyboard.press("End");
  await expect(start).toHaveValue("3");
  await page.keyboard.press("Home");
  await expect(start).toHaveValue("0");
  const box = await last.boundingBox();
  const left = await first.boundingBox();
  if (!box || !left) throw new Error("no boundary bars");
  const x = box.x + box.width / 2;
  await page.mouse.move(x, box.y + 40);
  await page.mouse.down();
  await page.mouse.move(x - (x - left.x) / 2, box.y + 40, { steps: 5 });
  await page.mouse.up();
  await expect(page.getByLabel("Stop", { exact: true })).toHaveValue("1");
  await start.hover();
  await page.mouse.wheel(0, -100);
  await expect(start).toHaveValue("1");
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(start).toHaveValue("0");
  await expect(page.getByRole("button", { name: "Re-aggregate" })).toBeDisabled();
});

test("a key op is found by typing, and says where iterations end", async ({ serve }) => {
  const viewer = await serve([profilePath("bert_inference_nosteps")]);
  const { page } = viewer;
  await viewer.open("bert_inference_nosteps", "iterations");
  const picker = page.getByRole("combobox", { name: "Key op" });
  await picker.fill("embedding");
  await expect(page.getByRole("option", { name: /aten::embedding/ }).first()).toBeVisible();
  await viewer.idle();
  await page.keyboard.press("Enter");
  await expect(picker).toHaveValue(/::embedding/); // no longer the typed text
  const op = await picker.inputValue();
  await reAggregate(viewer);
  await expect(page).toHaveURL(/agg=auto@/);
  await viewer.idle();
  await expect(page.locator(".view-head")).toContainText(`Key op ${op}`);
  const agg = new URL(page.url()).hash.match(/agg=([^&]+)/)?.[1] ?? "";
  const answer = await getJson<Aggregation>(
    `${viewer.url}api/profiles/bert_inference_nosteps/aggregations/${encodeURIComponent(decodeURIComponent(agg))}`,
  );
  expect(answer.key_op).toBe(op);
  await expect(page.locator(".view-head")).toContainText(`Total ${answer.iterations}`);
  await viewer.aggregationMenu.hover();
  await expect(page.getByRole("tooltip")).toContainText(`Key op: ${op}`);
});

test("an impossible range is explained in the editor", async ({ serve }) => {
  const viewer = await serve([profilePath(PROFILE)]);
  const { page } = viewer;
  await viewer.open(PROFILE, "iterations");
  await page.getByLabel("Start", { exact: true }).fill("3");
  await page.getByLabel("Stop", { exact: true }).fill("1");
  await expect(page.getByText("The start must not be after the stop.")).toBeVisible();
  await expect(page.getByRole("button", { name: "Re-aggregate" })).toBeDisabled();

  await viewer.open(PROFILE, "iterations", { params: { start: 400, stop: 500 } });
  await page.getByRole("combobox", { name: "Key op" }).fill("aten::mm");
  await expect(page.getByRole("option", { name: /^aten::mm/ })).toBeVisible();
  await page.getByRole("option", { name: /^aten::mm/ }).click();
  await page.getByLabel("Start", { exact: true }).fill("40000");
  await page.getByLabel("Stop", { exact: true }).fill("50000");
  await reAggregate(viewer);
  await expect(page.getByRole("alert").first()).toContainText(/iteration/);
  await expect(page.getByRole("alert").first()).not.toContainText("undefined");
});

test("links to impossible aggregations are explained", async ({ serve }) => {
  const viewer = await serve([profilePath(PROFILE)]);
  const { page } = viewer;
  for (const [agg, reason] of [
    ["7-9", /the trace has 4/],
    ["0-1@no::such_op", /no::such_op/],
    ["nonsense", /There is no aggregation "nonsense"/],
  ] as const) {
    await viewer.open(PROFILE, "dashboard", { agg });
    await expect(page.locator(".error-page")).toContainText(reason);
    await page.getByRole("link", { name: "Show the profile's own iterations" }).click();
    await viewer.idle();
    await expect(page.getByRole("heading", { level: 1 })).toHaveText(/^Dashboard/);
  }
});

test("a link to an aggregation that the server does not know computes it", async ({ serve }) => {
  const viewer = await serve([profilePath(PROFILE)]);
  await viewer.open(PROFILE, "dashboard", { agg: "2-3" });
  await expect(viewer.page.locator("[data-field='iterations.first']")).toHaveText("2");
  const api = await viewer.api<Dashboard>(PROFILE, "dashboard", "2-3");
  await expect(viewer.page.locator("[data-field='step.average_ns']")).toHaveAttribute(
    "data-value",
    String(api.step.average_ns),
  );
});

test("a reload during re-aggregation does not lose it", async ({ serve }) => {
  const viewer = await serve([profilePath(PROFILE)]);
  const { page } = viewer;
  // The server is done within a moment, so it reports "computing" until after the reload.
  let computing = true;
  const asComputing = (a: Aggregation) =>
    computing && a.id === "1-3" ? { ...a, state: "computing", phase: "ops", done: 1, total: 4 } : a;
  await page.route(/\/aggregations(\/1-3)?$/, async (route) => {
    const response = await route.fetch();
    const json = await response.json();
    const told = json.aggregations
      ? { aggregations: json.aggregations.map(asComputing) }
      : asComputing(json);
    await route.fulfill({ response, json: told });
  });
  await viewer.open(PROFILE, "iterations");
  await page.getByLabel("Start", { exact: true }).fill("1");
  await reAggregate(viewer);
  await expect(page.getByRole("progressbar")).toBeVisible();
  await page.reload();
  await expect(page.getByRole("progressbar")).toHaveAttribute("aria-valuenow", "25");
  computing = false;
  await expect(page).toHaveURL(/agg=1-3/);
  await viewer.idle();
  await expect(page.locator(".view-head")).toContainText("Start 1");
  // A request that is still held must not outlive the page.
  await page.unrouteAll({ behavior: "wait" });
});

test("a second browser sees the new aggregation, and stays where it is", async ({
  serve,
  browser,
}) => {
  const viewer = await serve([profilePath(PROFILE)]);
  const context = await browser.newContext();
  await logIn(context, viewer.url);
  await useLocalSite(context, viewer.url);
  const second = new Viewer(await context.newPage(), viewer.url);
  await second.open(PROFILE, "trust");
  await viewer.open(PROFILE, "iterations");
  await viewer.page.getByLabel("Stop", { exact: true }).fill("1");
  await reAggregate(viewer);
  await expect(viewer.page).toHaveURL(/agg=0-1/);
  await second.page.reload();
  await second.idle();
  expect(second.page.url()).not.toContain("agg=");
  await second.aggregationMenu.click();
  await second.page.getByRole("menuitemradio", { name: /^0–1/ }).click();
  await second.idle();
  await expect(second.page).toHaveURL(/agg=0-1/);
  // The first browser deletes it while the second one shows it: a reload computes it again.
  await viewer.aggregationMenu.click();
  await viewer.page.getByRole("menuitem", { name: "Delete 0–1" }).click();
  await viewer.page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await expect(viewer.page).not.toHaveURL(/agg=/);
  await second.page.reload();
  await second.idle();
  await second.noErrors();
  await expect(second.page.getByRole("heading", { level: 1 })).toHaveText("Trust");
  await context.close();
});
