import type { ReportAnswer } from "../src/base/api_types";
import { formatCount } from "../src/base/units";
import { expect, test } from "./support/fixtures";
import type { Viewer } from "./support/viewer";

const PROFILE = "gpt2_bf16";

function kernels(viewer: Viewer, query: string): Promise<ReportAnswer> {
  return viewer.api<ReportAnswer>(PROFILE, `reports/kernel?${query}`);
}

function column(answer: ReportAnswer, name: string) {
  const at = answer.columns.findIndex((candidate) => candidate.name === name);
  return answer.rows.map((row) => row[at] ?? null);
}

async function openKernels(viewer: Viewer, params: Record<string, string> = {}) {
  await viewer.open(PROFILE, "reports", { params: { report: "kernel", ...params } });
  const title = (await viewer.api<ReportAnswer>(PROFILE, "reports/kernel?limit=1")).title;
  return viewer.table(title);
}

test("shows what the API answers, in its order", async ({ viewer }) => {
  const table = await openKernels(viewer);
  const answer = await kernels(viewer, "limit=25");
  expect(answer.total).toBeGreaterThan(25);
  await expect(table.rows).toHaveCount(25);
  await expect(table.foot).toHaveText(`Showing 1 to 25 of ${formatCount(answer.total)}`);
  for (const name of ["Total GPU Time (ns)", "No. Calls"]) {
    expect(await table.values(name)).toEqual(column(answer, name));
  }
  expect(await table.texts("Uses TC")).toEqual(
    column(answer, "Uses TC").map((cell) => (cell === null ? "–" : cell ? "yes" : "no")),
  );
});

test("search finds text in any cell, ignoring case", async ({ viewer }) => {
  const table = await openKernels(viewer);
  const answer = await kernels(viewer, "search=NvJeT&limit=25");
  expect(answer.filtered).toBeGreaterThan(0);
  expect(answer.filtered).toBeLessThan(answer.total);
  await table.search.fill("NvJeT");
  await expect(table.foot).toContainText(
    `of ${formatCount(answer.filtered)} (filtered from ${formatCount(answer.total)})`,
  );
  for (const name of await table.texts("Kernel Name"))
    expect(name.toLowerCase()).toContain("nvjet");
  expect(await table.values("Total GPU Time (ns)")).toEqual(column(answer, "Total GPU Time (ns)"));
  await table.search.fill("no kernel is called this");
  await expect(table.frame).toContainText(`None of ${answer.total} rows`);
  await table.frame.getByRole("button", { name: "Clear search and filters" }).click();
  await expect(table.rows).toHaveCount(25);
});

test("filters by ranges of numbers with units, by yes and no, and by text", async ({ viewer }) => {
  const table = await openKernels(viewer);
  await table.frame.getByRole("button", { name: "Filters" }).click();
  await table.frame.getByLabel("Total GPU Time at least").fill("500 us");
  await table.frame.getByLabel("Total GPU Time at most").fill("5 ms");
  const ranged = await kernels(viewer, "limit=25&f.Total%20GPU%20Time%20(ns)=500000..5000000");
  expect(ranged.filtered).toBeGreaterThan(0);
  await expect(table.foot).toContainText(`of ${ranged.filtered} (filtered`);
  for (const ns of await table.values("Total GPU Time (ns)")) {
    expect(ns).toBeGreaterThanOrEqual(500_000);
    expect(ns).toBeLessThanOrEqual(5_000_000);
  }
  await table.frame.getByLabel("Uses TC is").selectOption("yes");
  const both = await kernels(
    viewer,
    "limit=25&f.Total%20GPU%20Time%20(ns)=500000..5000000&f.Uses%20TC=1",
  );
  expect(both.filtered).toBeLessThan(ranged.filtered);
  await expect(table.foot).toContainText(`of ${both.filtered} (filtered`);
  expect(new Set(await table.texts("Uses TC"))).toEqual(new Set(["yes"]));
  await table.frame.getByLabel("Op ID contains").fill("=MM_1");
  const equal = await kernels(
    viewer,
    "f.Op%20ID=%3DMM_1&f.Total%20GPU%20Time%20(ns)=500000..5000000&f.Uses%20TC=1",
  );
  await expect(table.foot).toContainText(`of ${equal.filtered} (filtered`);
  expect(new Set(await table.texts("Op ID"))).toEqual(new Set(["MM_1"]));
  await expect(table.frame.getByRole("button", { name: "Filters" })).toContainText("3");
  await table.frame.getByLabel("Total GPU Time at least").fill("5 parsecs");
  await expect(table.frame.getByLabel("Total GPU Time at least")).toHaveAttribute(
    "aria-invalid",
    "true",
  );
});

test("a click on a header sorts numbers descending, then ascending, then as initially", async ({
  viewer,
}) => {
  const table = await openKernels(viewer);
  const original = await table.values("No. Calls");
  await table.sortBy("No. Calls");
  await expect(table.header("No. Calls")).toHaveAttribute("aria-sort", "descending");
  const down = await kernels(viewer, "limit=25&sort=No.%20Calls&order=desc");
  expect(await table.values("No. Calls")).toEqual(column(down, "No. Calls"));
  const values = (await table.values("No. Calls")).map(Number);
  expect(values).toEqual([...values].sort((a, b) => b - a));
  await table.sortBy("No. Calls");
  await expect(table.header("No. Calls")).toHaveAttribute("aria-sort", "ascending");
  const up = (await table.values("No. Calls")).map(Number);
  expect(up).toEqual([...up].sort((a, b) => a - b));
  await table.header("No. Calls").getByRole("button").press("Enter");
  await viewer.idle();
  expect(await table.values("No. Calls")).toEqual(original);
});

test("pages, and shows 10, 25, 50, 100 or all rows", async ({ viewer }) => {
  await viewer.open(PROFILE, "reports", { params: { report: "iteration" } });
  const { page } = viewer;
  const answer = await viewer.api<ReportAnswer>(PROFILE, "reports/iteration?limit=all");
  const starts = column(answer, "GPU Start Time (ns)");
  const table = viewer.table(answer.title);
  const total = formatCount(answer.total);
  for (const size of [10, 50, 100]) {
    await table.frame.getByLabel("Rows").selectOption(String(size));
    await expect(table.foot).toHaveText(`Showing 1 to ${size} of ${total}`);
    await expect(table.rows).toHaveCount(size);
  }
  await page.getByRole("button", { name: "Next page" }).click();
  await expect(table.foot).toHaveText(`Showing 101 to 200 of ${total}`);
  expect(await table.values("GPU Start Time (ns)")).toEqual(starts.slice(100, 200));
  const last = Math.ceil(answer.total / 100);
  await page.getByRole("button", { name: `Page ${last}`, exact: true }).click();
  await expect(table.foot).toHaveText(
    `Showing ${formatCount(last * 100 - 99)} to ${total} of ${total}`,
  );
  await expect(page.getByRole("button", { name: "Next page" })).toBeDisabled();
  await table.frame.getByLabel("Rows").selectOption("all");
  await expect(table.foot).toHaveText(`Showing 1 to ${total} of ${total}`);
  // The page contains only visible rows; scrolling adds others.
  expect(await table.rows.count()).toBeLessThan(120);
  await table.frame.locator(".table-scroll").evaluate((box) => box.scrollTo(0, box.scrollHeight));
  await expect(async () => {
    expect((await table.values("GPU Start Time (ns)")).at(-1)).toBe(starts.at(-1));
  }).toPass();
});

test("columns are chosen, and stay chosen", async ({ viewer }) => {
  const { page } = viewer;
  const table = await openKernels(viewer);
  const before = await table.frame.getByRole("columnheader").count();
  await table.frame.getByRole("button", { name: "Columns" }).click();
  const dialog = page.getByRole("dialog", { name: "Columns" });
  await dialog.getByRole("checkbox", { name: /^No\. Calls/ }).uncheck();
  await dialog.getByRole("button", { name: "Done" }).click();
  await expect(table.frame.getByRole("columnheader")).toHaveCount(before - 1);
  await page.reload();
  await viewer.idle();
  await expect(table.header("No. Calls")).toHaveCount(0);
  await table.frame.getByRole("button", { name: "Columns" }).click();
  await dialog.getByRole("button", { name: "Reset" }).click();
  await page.keyboard.press("Escape");
  await expect(table.frame.getByRole("columnheader")).toHaveCount(before);
});

test("a row's details are complete, and lead to the timeline", async ({ viewer }) => {
  const { page } = viewer;
  const table = await openKernels(viewer);
  const answer = await kernels(viewer, "limit=25");
  await table.rows.nth(3).click();
  const details = page.getByRole("complementary", { name: "Selected row" });
  await expect(details).toContainText(String(column(answer, "Kernel Name")[3]));
  await expect(details.locator("dt")).toHaveCount(answer.columns.length);
  await details.getByRole("link", { name: "Show in the timeline" }).click();
  await viewer.idle();
  await expect(page.getByRole("region", { name: "Timeline", exact: true })).toBeVisible();
});

test("rows are reached and selected by keyboard; the selection fills the next table", async ({
  viewer,
}) => {
  const { page } = viewer;
  await viewer.open(PROFILE, "ops");
  const ops = viewer.table("Ops");
  const ids = await ops.texts("Op ID");
  await expect(viewer.panel(`Kernels of ${ids[0]}`)).toBeVisible();
  await ops.rows.first().focus();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  await expect(ops.rows.nth(2)).toBeFocused();
  await page.keyboard.press("Enter");
  await viewer.idle();
  await expect(ops.rows.nth(2)).toHaveAttribute("aria-selected", "true");
  const of = await viewer.api<ReportAnswer>(
    PROFILE,
    `reports/kernel?f.Op%20ID=%3D${ids[2]}&limit=10&sort=Total%20GPU%20Time%20(ns)&order=desc`,
  );
  const table = viewer.table(`Kernels of ${ids[2]}`);
  expect(await table.values("Total GPU Time (ns)")).toEqual(column(of, "Total GPU Time (ns)"));
  await page.keyboard.press("End");
  await expect(ops.rows.last()).toBeFocused();
});

test("/ goes to the search field", async ({ viewer }) => {
  await openKernels(viewer);
  await viewer.page.keyboard.press("/");
  await expect(viewer.page.getByPlaceholder("Search").first()).toBeFocused();
});

test("an iteration's kernels, and an op's kernels in it", async ({ viewer }) => {
  const { page } = viewer;
  await viewer.open(PROFILE, "kernels-by-iteration");
  await viewer.table("Iterations").rows.nth(2).click();
  await viewer.idle();
  const second = await viewer.api<ReportAnswer>(
    PROFILE,
    "reports/iteration?f.Iteration=2&limit=25&sort=Start%20(ns)&order=asc",
  );
  const listed = viewer.table("Kernels of iteration 2");
  await expect(listed.foot).toContainText(`of ${formatCount(second.filtered)}`);
  expect(await listed.values("Start (ns)")).toEqual(column(second, "Start (ns)"));

  await viewer.open(PROFILE, "kernels-by-op");
  await page.getByRole("combobox", { name: "Iteration", exact: true }).selectOption({ index: 1 });
  await viewer.idle();
  const ops = viewer.table("Ops of iteration 1");
  const id = (await ops.texts("Op ID"))[1];
  await ops.rows.nth(1).click();
  await viewer.idle();
  const some = await viewer.api<ReportAnswer>(
    PROFILE,
    `reports/iteration?f.Iteration=1&f.Op%20ID=%3D${id}&limit=25&sort=Start%20(ns)&order=asc`,
  );
  const byOp = viewer.table(`Kernels of ${id}`);
  expect(await byOp.values("GPU Duration (ns)")).toEqual(column(some, "GPU Duration (ns)"));
});

test("the tree of groups opens, closes, can be searched and has sums", async ({ viewer }) => {
  const { page } = viewer;
  await viewer.open(PROFILE, "group-ops");
  const rows = page.getByRole("treegrid").getByRole("row");
  const atFirst = await rows.count();
  await page.getByRole("button", { name: "Expand all", exact: true }).click();
  expect(await rows.count()).toBeGreaterThan(atFirst);
  await page.getByRole("button", { name: "Collapse all", exact: true }).click();
  await expect(rows).toHaveCount(2);
  await rows.nth(1).focus();
  await page.keyboard.press("ArrowRight");
  await expect(rows.nth(1)).toHaveAttribute("aria-expanded", "true");
  await page.getByPlaceholder("Search").fill("aten::mm");
  await expect(rows.last()).toContainText("aten::mm");
  await rows.last().click();
  await expect(page.locator(".tree-path code")).toContainText("aten::mm");
});

test("every report is a table", async ({ viewer }) => {
  const { page } = viewer;
  await viewer.open(PROFILE, "reports");
  const list = page.getByRole("navigation", { name: "Reports" }).getByRole("button");
  const count = await list.count();
  expect(count).toBeGreaterThan(20);
  for (let i = 0; i < count; i += 1) {
    await list.nth(i).click();
    await viewer.idle();
    const id = (await list.nth(i).locator("code").textContent()) ?? "";
    const answer = await viewer.api<ReportAnswer>(PROFILE, `reports/${id}`);
    if (answer.total > 0) {
      await expect(viewer.table(answer.title).foot, id).toContainText(
        `of ${formatCount(answer.total)}`,
      );
    } else {
      await expect(page.locator(".empty"), id).toBeVisible();
    }
    await viewer.noErrors();
  }
});

test("SQL answers, explains mistakes and stays closed", async ({ viewer }) => {
  const { page } = viewer;
  await viewer.open(PROFILE, "sql");
  const field = page.getByLabel("SQL statement");
  await field.fill("SELECT count(*) AS n, sum(duration_ns) AS ns FROM kernels");
  await field.press("Control+Enter");
  await viewer.idle();
  const table = viewer.table("Result");
  expect(await table.values("n")).toEqual([2928]);
  expect(await table.values("ns")).toEqual([106_481_537]);
  await page.getByRole("button", { name: "Examples" }).click();
  await page.getByRole("menuitem", { name: "Why the GPU was idle" }).click();
  await viewer.idle();
  expect(await table.rows.count()).toBeGreaterThan(1);
});

test.describe("statements that fail", () => {
  test.use({ expectedErrors: /status of 400/ });
  for (const [what, statement] of [
    ["a mistake", "SELECT nonsense FROM kernels"],
    ["writing", "DELETE FROM kernels"],
    ["another file", "SELECT * FROM read_text('/etc/passwd')"],
  ]) {
    test(`${what} is rejected with a reason`, async ({ viewer }) => {
      await viewer.open(PROFILE, "sql", { params: { q: statement ?? "" } });
      await expect(viewer.page.getByRole("alert")).toContainText("The query failed");
      const reason = (await viewer.page.getByRole("alert").textContent()) ?? "";
      expect(reason.length).toBeGreaterThan(50);
    });
  }
});
