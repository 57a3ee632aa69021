import type { Page } from "@playwright/test";
import type { ReportAnswer } from "../src/base/api_types";
import { expect, test } from "./support/fixtures";
import type { RouteParams } from "./support/route";
import { logIn } from "./support/server";
import { useLocalSite, Viewer } from "./support/viewer";

const PROFILE = "gpt2_bf16";

/** States of views that a link must restore. */
const STATES: readonly { what: string; view: string; params: RouteParams; agg?: string }[] = [
  {
    what: "a table's page, size, order, search and columns",
    view: "reports",
    params: {
      report: "iteration",
      "t.page": 3,
      "t.size": 10,
      "t.sort": "-GPU Duration (ns)",
      "t.q": "elementwise",
      "t.cols": "GPU Start (ns)|GPU Duration (ns)|Kernel Name",
    },
  },
  {
    what: "filters",
    view: "ops",
    params: { "op.f.TC Eligible": "1", "op.f.Total GPU Time (ns)": "1000000.." },
  },
  { what: "the selected op", view: "ops", params: { "op.sel": "LINEAR_1" } },
  { what: "the selected finding", view: "advice", params: { rule: "host-sync" } },
  { what: "the open tab", view: "roofline", params: { tab: "sol" } },
  { what: "open groups", view: "group-ops", params: { open: "all", sel: "MM_1" } },
  { what: "the iteration", view: "kernels-by-op", params: { it: 2 } },
  { what: "a statement", view: "sql", params: { q: "SELECT count(*) FROM ops" } },
  { what: "the chosen range", view: "iterations", params: { start: 1, stop: 2, show: "profiled" } },
  { what: "the aggregation", view: "dashboard", params: {}, agg: "1-2" },
];

const main = async (page: Page) => (await page.getByRole("main").textContent()) ?? "";

for (const { what, view, params, agg } of STATES) {
  test(`a link restores ${what}`, async ({ viewer, browser }) => {
    await viewer.open(PROFILE, view, { params, agg });
    await viewer.noErrors();
    for (const [name, value] of Object.entries(params))
      expect(viewer.params.get(name), name).toBe(String(value));
    const shown = withoutTimes(await main(viewer.page));
    // Another user opens the current URL.
    const context = await browser.newContext();
    await logIn(context, viewer.url);
    await useLocalSite(context, viewer.url);
    const other = new Viewer(await context.newPage(), viewer.url);
    await other.page.goto(viewer.page.url());
    await other.idle();
    expect(withoutTimes(await main(other.page))).toBe(shown);
    await context.close();
    // Without its parameters the view looks different, so they have an effect.
    await viewer.open(PROFILE, view);
    expect(withoutTimes(await main(viewer.page))).not.toBe(shown);
  });
}

/** Removes the duration of a query, which is not part of the state. */
function withoutTimes(text: string): string {
  return text.replace(/in [\d.,]+ ms/g, "");
}

test("a link restores the timeline's range, event, interval, search and folding", async ({
  viewer,
}) => {
  const { page } = viewer;
  const params = {
    start: 60_000_000,
    end: 90_000_000,
    event: "gpu:900",
    sel: "65000000-70000000",
    q: "nvjet",
    flip: "5",
  };
  await viewer.open(PROFILE, "timeline", { params });
  // The view writes its URL after it stops moving; that must not lose or change anything.
  for (const [name, value] of Object.entries(params))
    expect(viewer.params.get(name), name).toBe(String(value));
  await expect(page.getByLabel("Search events by name")).toHaveValue("nvjet");
  const pane = page.getByRole("complementary", { name: "Details" });
  await expect(pane.getByRole("button", { name: "Event", exact: true })).toBeVisible();
  await expect(pane.getByRole("button", { name: "Stretch", exact: true })).toBeVisible();
});

test("back and forward go through visited states", async ({ viewer }) => {
  const { page } = viewer;
  await viewer.open(PROFILE, "ops");
  const ops = viewer.table("Ops");
  const { rows } = await viewer.api<ReportAnswer>(
    PROFILE,
    "reports/detail?limit=3&sort=Total%20GPU%20Time%20(ns)&order=desc",
  );
  const ids = rows.map((row) => row[0]);
  await ops.rows.nth(1).click();
  await expect(viewer.panel(`Kernels of ${ids[1]}`)).toBeVisible();
  await ops.rows.nth(2).click();
  await expect(viewer.panel(`Kernels of ${ids[2]}`)).toBeVisible();
  await page.goBack();
  await expect(viewer.panel(`Kernels of ${ids[1]}`)).toBeVisible();
  await page.goForward();
  await expect(viewer.panel(`Kernels of ${ids[2]}`)).toBeVisible();
});

test("an address without a view opens the dashboard of the first profile", async ({ viewer }) => {
  await viewer.page.goto(viewer.url);
  await viewer.idle();
  await expect(viewer.page.getByRole("heading", { level: 1 })).toHaveText(/^Dashboard of /);
});

test("links to what does not exist say so and lead on", async ({ viewer }) => {
  const { page } = viewer;
  await viewer.open("no_such_profile", "dashboard");
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(
    'There is no profile "no_such_profile"',
  );
  await page.getByRole("link", { name: "jax_mlp", exact: true }).click();
  await viewer.idle();
  await expect(page).toHaveTitle("Dashboard · jax_mlp · Warpsight");
  await viewer.open(PROFILE, "no-such-view");
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(
    'There is no view "no-such-view"',
  );
  await page.getByRole("main").getByRole("link", { name: "Roofline" }).click();
  await viewer.idle();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Roofline");
  await viewer.open(PROFILE, "reports", { params: { report: "no_such_report" } });
  await expect(page.getByRole("main")).toContainText('There is no report "no_such_report"');
});

test.describe("addresses", () => {
  test.use({ expectedErrors: /status of 40[04]/ });
  test("that are truncated or mistyped do no harm", async ({ viewer }) => {
    for (const hash of [
      "#/gpt2_bf16/timeline?start=abc&end=-5&event=gpu:99999999999&sel=9-1&flip=x",
      "#/gpt2_bf16/reports?report=kernel&t.page=9999&t.size=7&t.cols=nothing",
      "#/gpt2_bf16/iterations?start=x&stop=-3",
      "#/%E0%A4%A/dashboard",
      "#/gpt2_bf16/advice?rule=none",
    ]) {
      await viewer.page.goto(viewer.url + hash);
      await viewer.idle();
      await expect(viewer.page.getByRole("main"), hash).not.toContainText("crashed");
      expect((await main(viewer.page)).length, hash).toBeGreaterThan(20);
    }
  });
});
