import { writeFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { shownFields } from "./support/fields";
import { expect, profilePath, test, watchForProblems } from "./support/fixtures";
import { RESULTS, warpsightAsync } from "./support/program";
import { Viewer } from "./support/viewer";
import { VIEWS } from "./support/views";

const PROFILE = "gpt2_bf16";

/** The page of `warpsight export`, opened from disk by a browser without a network. */
test.use({ offline: true });

async function openPage(
  page: Viewer["page"],
  file: string,
  profile = profilePath(PROFILE),
): Promise<Viewer> {
  await warpsightAsync("export", profile, "--html", file);
  return new Viewer(page, pathToFileURL(file).href);
}

const MARKUP =
  "</script><script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">";

/** A trace in which all names are `name`. */
function traceNamed(name: string): string {
  const events: object[] = [];
  const slice = (cat: string, title: string, tid: number, ts: number, dur: number, args: object) =>
    events.push({ ph: "X", cat, name: title, pid: tid === 7 ? 0 : 1, tid, ts, dur, args });
  for (let step = 0; step < 4; step += 1) {
    const begin = 1000 + 300 * step;
    const id = { correlation: step + 1, "External id": step + 1 };
    slice("user_annotation", `ProfilerStep#${step}`, 1, begin, 300, {});
    slice("user_annotation", name, 1, begin + 10, 250, {});
    slice("cpu_op", name, 1, begin + 20, 200, { "External id": step + 1 });
    slice("cuda_runtime", "cudaLaunchKernel", 1, begin + 30, 20, id);
    slice("kernel", name, 7, begin + 60, 150, { ...id, device: 0, stream: 7 });
  }
  const deviceProperties = [{ id: 0, name }];
  return JSON.stringify({ schemaVersion: 1, deviceProperties, traceEvents: events });
}

test("names in the offline page are treated as text", async ({ page }, info) => {
  const problems = watchForProblems(page, null);
  const trace = info.outputPath("hostile.json");
  writeFileSync(trace, traceNamed(MARKUP));
  const viewer = await openPage(page, info.outputPath("run.html"), trace);
  for (const view of VIEWS) {
    await viewer.open("hostile", view.id);
    await expect(page.getByRole("heading", { level: 1 })).toHaveText(view.heading);
    expect(await page.title()).not.toBe("owned");
  }
  await viewer.open("hostile", "reports", { params: { report: "kernel" } });
  await expect(page.getByRole("main")).toContainText("</script><script>d");
  expect(await page.locator("img[src=x]").count()).toBe(0);
  expect(problems).toEqual([]);
});

test("the offline page runs only the viewer", async ({ page }, info) => {
  const viewer = await openPage(page, info.outputPath("run.html"));
  await viewer.open(PROFILE, "dashboard");
  const reached = await page.evaluate(async (markup) => {
    const holder = document.createElement("div");
    holder.innerHTML = markup; // inserted scripts never run, but handlers would
    const script = document.createElement("script");
    script.textContent = "document.title = 'owned'";
    // Listeners run in their order: the one in the markup, if it may run, comes first.
    const failed = new Promise((resolve) => {
      holder.querySelector("img")?.addEventListener("error", resolve);
    });
    document.body.append(holder, script);
    await failed;
    return fetch("data:text/plain,x").then(
      () => "fetched",
      () => document.title,
    );
  }, MARKUP);
  expect(reached).not.toBe("fetched");
  expect(reached).not.toBe("owned");
});

test("the offline page opens every view", async ({ page }, info) => {
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

test("the offline page shows the viewer's numbers", async ({ page, viewer }, info) => {
  const offline = await openPage(page, info.outputPath("run.html"));
  await offline.open(PROFILE, "dashboard");
  const mailed = await shownFields(page);
  const context = page.context();
  await context.setOffline(false);
  await viewer.open(PROFILE, "dashboard");
  expect(mailed).toEqual(await shownFields(page));
  expect(mailed.length).toBeGreaterThan(40);
});

test("tables of the offline page can be searched, sorted and paged", async ({ page }, info) => {
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

test("the offline page says what needs a server", async ({ page }, info) => {
  const viewer = await openPage(page, info.outputPath("run.html"));
  await viewer.open(PROFILE, "sql");
  await expect(page.getByRole("main")).toContainText("warpsight view");
  await viewer.open(PROFILE, "iterations");
  await page.getByLabel("Stop", { exact: true }).fill("1");
  await expect(page.getByRole("button", { name: "Re-aggregate" })).toBeDisabled();
});
