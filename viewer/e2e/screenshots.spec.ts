import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Page } from "@playwright/test";
import { keepForDocs } from "./support/docs_images";
import { expect, profilePath, test } from "./support/fixtures";
import { RESULTS, WITHOUT_OPS } from "./support/program";
import type { RouteParams } from "./support/route";
import { VIEWS } from "./support/views";

const FOLDER = path.join(RESULTS, "screenshots");

/** States of views that show more than the initial one. */
const STATES: readonly { name: string; profile?: string; view: string; params: RouteParams }[] = [
  {
    name: "timeline_event",
    view: "timeline",
    params: { start: 60_000_000, end: 62_000_000, event: "gpu:900" },
  },
  {
    name: "timeline_stretch",
    view: "timeline",
    params: { start: 50_000_000, end: 120_000_000, sel: "60000000-101000000" },
  },
  { name: "timeline_search", view: "timeline", params: { q: "nvjet" } },
  {
    name: "table_filters_and_details",
    view: "reports",
    params: { report: "kernel", "t.f.Uses TC": "1", "t.sel": "#2" },
  },
  { name: "group_ops_open", view: "group-ops", params: { open: "all", sel: "MM_1" } },
  { name: "speed_of_light", view: "roofline", params: { tab: "sol" } },
  {
    name: "sql_result",
    view: "sql",
    params: {
      q: "SELECT family, tensor_cores, count(*) AS kernels, sum(duration_ns) / 1e6 AS ms FROM kernels GROUP BY ALL ORDER BY ms DESC",
    },
  },
  { name: "stacks", profile: "gpt2_bf16_stacks_memory", view: "ops", params: {} },
  { name: "stacks_timeline", profile: "gpt2_bf16_stacks_memory", view: "timeline", params: {} },
  { name: "no_ops_dashboard", profile: WITHOUT_OPS, view: "dashboard", params: {} },
  { name: "no_ops", profile: WITHOUT_OPS, view: "ops", params: {} },
  { name: "no_limits", profile: WITHOUT_OPS, view: "roofline", params: {} },
  {
    name: "no_steps_iterations",
    profile: "bert_inference_nosteps",
    view: "iterations",
    params: {},
  },
  { name: "input_bound", profile: "resnet50_fp32_workers0", view: "dashboard", params: {} },
  { name: "cpu_bound_advice", profile: "mlp_cpu_bound", view: "advice", params: {} },
];

async function shoot(page: Page, name: string, whole = false): Promise<void> {
  mkdirSync(FOLDER, { recursive: true });
  await page.mouse.move(0, 0);
  const file = path.join(FOLDER, `${name}.png`);
  await page.screenshot({ path: file, fullPage: whole });
  keepForDocs(name, file);
}

for (const theme of ["light", "dark"] as const) {
  test.describe(theme, () => {
    test.use({ colorScheme: theme });

    test(`screenshots of every view, ${theme}`, async ({ viewer }) => {
      for (const view of VIEWS) {
        await viewer.open("gpt2_bf16", view.id);
        await shoot(viewer.page, `${view.id}_${theme}`);
      }
      await viewer.open("gpt2_bf16", "dashboard");
      await shoot(viewer.page, `dashboard_whole_${theme}`, true);
      await viewer.noErrors();
    });

    test(`screenshots of states, ${theme}`, async ({ viewer }) => {
      for (const { name, profile, view, params } of STATES) {
        await viewer.open(profile ?? "gpt2_bf16", view, { params });
        await shoot(viewer.page, `${name}_${theme}`);
      }
      await viewer.open("gpt2_bf16", "dashboard");
      await viewer.page.keyboard.press("?");
      await shoot(viewer.page, `help_${theme}`);
      await viewer.page.keyboard.press("Escape");
      await viewer.page.getByRole("button", { name: "Ops", exact: true }).click();
      await shoot(viewer.page, `menu_${theme}`);
    });

    test(`screenshots of error pages, ${theme}`, async ({ serve }, info) => {
      const notes = info.outputPath("notes.warpsight");
      writeFileSync(notes, "these are notes\n");
      const viewer = await serve([notes, profilePath("jax_mlp")]);
      await viewer.open("notes", "dashboard");
      await shoot(viewer.page, `not_a_profile_${theme}`);
      await viewer.open("jax_mlp", "no-such-view");
      await shoot(viewer.page, `unknown_view_${theme}`);
      await viewer.open("jax_mlp", "dashboard", { agg: "70-90" });
      await expect(viewer.page.locator(".error-page")).toBeVisible();
      await shoot(viewer.page, `impossible_range_${theme}`);
    });
  });
}

test("nothing is cut off on a small screen", async ({ viewer }) => {
  const { page } = viewer;
  await page.setViewportSize({ width: 1024, height: 700 });
  for (const view of VIEWS) {
    await viewer.open("gpt2_bf16", view.id);
    // Charts are resized shortly after the window.
    await expect
      .poll(() => page.evaluate(() => document.documentElement.scrollWidth), { message: view.id })
      .toBeLessThanOrEqual(1024);
    await shoot(page, `${view.id}_small`);
  }
});
