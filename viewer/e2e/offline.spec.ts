import path from "node:path";
import { pathToFileURL } from "node:url";
import { shownFields } from "./support/fields";
import { expect, profilePath, test, watchForProblems } from "./support/fixtures";
import { RESULTS, warpsightAsync } from "./support/program";
import { Viewer } from "./support/viewer";
import { VIEWS } from "./support/views";

const PROFILE = "gpt2_bf16";

/** The page of `warpsight export`, opened from disk by a browser that reaches nothing. */
test.use({ offline: true });

async function openPage(page: Viewer["page"], file: string): Promise<Viewer> {
  await warpsightAsync("export", profilePath(PROFILE), "--html", file);
  return new Viewer(page, pathToFileURL(file).href);
}

test("the page that is mailed opens every view without a server", async ({ page }, info) => {
  const problems = watchForProblems(page, null);
  const viewer = await openPage(page, info.outputPath("run.html"));
  for (const view of VIEWS) {
    await viewer.open(PROFILE, view.id);
    await expect(page.getByRole("heading", { level: 1 })).toHaveText(view.heading);
    await viewer.noErrors();
    if (["dashboard", "timeline"].includes(view.id)) {
      await page.screenshot({ path: path.join(RESULTS, "screenshots", `offline_${view.id}.png`) });
    }
  }
  expect(problems).toEqual([]);
});

test("the page that is mailed shows the viewer's numbers", async ({ page, viewer }, info) => {
  const offline = await openPage(page, info.outputPath("run.html"));
  await offline.open(PROFILE, "dashboard");
  const mailed = await shownFields(page);
  const context = page.context();
  await context.setOffline(false);
  await viewer.open(PROFILE, "dashboard");
  expect(mailed).toEqual(await shownFields(page));
  expect(mailed.length).toBeGreaterThan(40);
});

test("tables of the page that is mailed are searched, sorted and paged", async ({ page }, info) => {
  const viewer = await openPage(page, info.outputPath("run.html"));
  await viewer.open(PROFILE, "reports", { params: { report: "kernel" } });
  const table = viewer.table(/./);
  await table.sortBy("No. Calls");
  const calls = await table.values("No. Calls");
  expect(calls).toEqual([...calls].sort((a, b) => (b ?? 0) - (a ?? 0)));
  await table.search.fill("softmax");
  await viewer.idle();
  await expect(table.foot).toContainText("filtered from");
  for (const name of await table.texts("Kernel Name"))
    expect(name.toLowerCase()).toContain("softmax");
});

test("what needs a server says so in the page that is mailed", async ({ page }, info) => {
  const viewer = await openPage(page, info.outputPath("run.html"));
  await viewer.open(PROFILE, "sql");
  await expect(page.getByRole("main")).toContainText("warpsight view");
  await viewer.open(PROFILE, "iterations");
  await page.getByLabel("Stop", { exact: true }).fill("1");
  await expect(page.getByRole("button", { name: "Re-aggregate" })).toBeDisabled();
});
