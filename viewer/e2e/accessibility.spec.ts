import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "@playwright/test";
import type { AxeResults } from "axe-core";
import { expect, profilePath, test } from "./support/fixtures";
import { VIEWS } from "./support/views";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

// What fades in has its final colors at once, which contrast is measured with.
test.use({ contextOptions: { reducedMotion: "reduce" } });

/** Serious and critical violations, one line each. */
async function violations(page: Page): Promise<string[]> {
  await page.evaluate(AXE);
  const results = await page.evaluate(() =>
    (window as unknown as { axe: { run: (options: object) => Promise<AxeResults> } }).axe.run({
      resultTypes: ["violations"],
    }),
  );
  return results.violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .flatMap(({ id, nodes }) =>
      nodes.map((node) => `${id}: ${node.target.join(" ")} ${node.failureSummary}`),
    );
}

for (const theme of ["light", "dark"] as const) {
  test.describe(theme, () => {
    test.use({ colorScheme: theme });

    for (const view of VIEWS) {
      test(`${view.title} has no serious violation, ${theme}`, async ({ viewer }) => {
        await viewer.open("gpt2_bf16", view.id);
        expect(await violations(viewer.page)).toEqual([]);
      });
    }

    test(`dialogs and panes have no serious violation, ${theme}`, async ({ viewer }) => {
      const { page } = viewer;
      await viewer.open("gpt2_bf16", "reports", {
        params: { report: "kernel", "t.f.Uses TC": "1" },
      });
      await page.locator("tbody tr.table-row").first().click();
      expect(await violations(page), "filters and details").toEqual([]);
      await page.getByRole("button", { name: "Columns" }).click();
      expect(await violations(page), "columns").toEqual([]);
      await page.keyboard.press("Escape");
      await page.getByRole("button", { name: /^Export / }).click();
      expect(await violations(page), "menu").toEqual([]);
      await page.keyboard.press("Escape");
      await page.keyboard.press("?");
      expect(await violations(page), "help").toEqual([]);
      await page.keyboard.press("Escape");
      await viewer.open("gpt2_bf16", "timeline", {
        params: { event: "gpu:900", sel: "65000000-70000000", q: "nvjet" },
      });
      expect(await violations(page), "event").toEqual([]);
      await page.getByRole("button", { name: "Stretch", exact: true }).click();
      await viewer.idle();
      expect(await violations(page), "stretch").toEqual([]);
      await viewer.open("gpt2_bf16", "iterations", { params: { start: 1 } });
      await page.getByRole("combobox", { name: "Key op" }).focus();
      await viewer.idle();
      expect(await violations(page), "key op").toEqual([]);
      await page.keyboard.press("Escape");
      await page.getByRole("button", { name: "Re-aggregate" }).click();
      expect(await violations(page), "confirmation").toEqual([]);
    });

    test(`error pages and empty views have no serious violation, ${theme}`, async ({
      serve,
    }, info) => {
      const notes = info.outputPath("notes.warpsight");
      writeFileSync(notes, "these are notes\n");
      const viewer = await serve([notes, profilePath("jax_mlp")]);
      await viewer.open("notes", "dashboard");
      expect(await violations(viewer.page)).toEqual([]);
      for (const view of ["dashboard", "ops", "roofline", "timeline"]) {
        await viewer.open("jax_mlp", view);
        expect(await violations(viewer.page), view).toEqual([]);
      }
    });
  });
}

/**
 * The elements that a mouse can use, each with a distinguishing name, and those that Tab reached.
 */
async function tabThrough(page: Page): Promise<{ usable: string[]; reached: string[] }> {
  const usable = await page.evaluate(() => {
    const selector =
      "a[href], button, input, select, textarea, [role=slider], [role=application], summary";
    const seen = [...document.querySelectorAll<HTMLElement>(selector)].filter(
      (element) =>
        element.checkVisibility({ visibilityProperty: true }) &&
        !element.matches(":disabled") &&
        // In groups with arrow keys, all members are one tab stop.
        !element.closest(
          "[role=menu], [role=listbox], [role=treegrid] tbody, [role=tablist], [aria-hidden=true]",
        ),
    );
    for (const [i, element] of seen.entries()) element.dataset.stop = String(i);
    return seen.map((element, i) => `${i} ${element.outerHTML.slice(0, 120)}`);
  });
  const reached = new Set<string>();
  await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
  let strange = 0;
  for (let i = 0; i < usable.length + 60 && strange < 3; i += 1) {
    await page.keyboard.press("Tab");
    const at = await page.evaluate(() => {
      const element = document.activeElement as HTMLElement | null;
      if (element === null || element === document.body) return "body";
      const outline = getComputedStyle(element);
      // Over a canvas, an ::after element draws the focus ring.
      const over = getComputedStyle(element, "::after");
      const ring =
        outline.outlineStyle !== "none" ||
        outline.boxShadow !== "none" ||
        (over.content !== "none" && over.borderTopStyle !== "none");
      return element.dataset.stop === undefined
        ? ""
        : `${element.dataset.stop}${ring ? "" : " invisible"}`;
    });
    if (at === "body") strange += 1;
    else if (at.endsWith("invisible")) reached.add(`focus cannot be seen on ${at}`);
    else if (at !== "") reached.add(usable[Number(at)] ?? "");
  }
  return { usable, reached: [...reached] };
}

for (const view of VIEWS) {
  test(`everything in ${view.title} is reached by Tab, and the focus is visible`, async ({
    viewer,
  }) => {
    const { page } = viewer;
    await viewer.open("gpt2_bf16", view.id);
    const { usable, reached } = await tabThrough(page);
    expect(usable.length).toBeGreaterThan(8);
    expect(usable.filter((element) => !reached.includes(element))).toEqual([]);
    expect(reached.filter((element) => element.startsWith("focus cannot"))).toEqual([]);
  });
}

test("the first Tab offers to skip to the content", async ({ viewer }) => {
  const { page } = viewer;
  await viewer.open("gpt2_bf16", "trust");
  await page.keyboard.press("Tab");
  const skip = page.getByRole("button", { name: "Skip to the content" });
  await expect(skip).toBeFocused();
  await expect(skip).toBeInViewport();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("main")).toBeFocused();
});

test("dialogs keep the focus and return it", async ({ viewer }) => {
  const { page } = viewer;
  await viewer.open("gpt2_bf16", "trust");
  const help = page.getByRole("button", { name: "Help" });
  await help.focus();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("dialog")).toBeVisible();
  for (let i = 0; i < 40; i += 1) await page.keyboard.press("Tab");
  const inside = await page.evaluate(
    () =>
      document.activeElement === document.body ||
      document.activeElement?.closest("dialog") !== null,
  );
  expect(inside).toBe(true);
  await page.keyboard.press("Escape");
  await expect(help).toBeFocused();
});
