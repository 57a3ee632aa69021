import { expect, test } from "./support/fixtures";
import { WITHOUT_OPS } from "./support/program";
import { VIEWS } from "./support/views";

/** Training; inference without markers; no ops; everything launched by CUDA graphs. */
const KINDS = ["gpt2_bf16", "bert_inference_nosteps", "jax_mlp", "resnet18_cuda_graph_inference"];

for (const profile of KINDS) {
  test(`every view of ${profile} opens`, async ({ viewer }) => {
    for (const view of VIEWS) {
      await viewer.open(profile, view.id);
      await expect(viewer.page.getByRole("heading", { level: 1 })).toHaveText(view.heading);
      await expect(viewer.page).toHaveTitle(`${view.title} · ${profile} · Warpsight`);
      await viewer.noErrors();
      expect(await emptyWithoutReason(viewer.page)).toEqual([]);
    }
  });
}

test("the menus lead to every view, by mouse", async ({ viewer }) => {
  const { page } = viewer;
  await viewer.open("gpt2_bf16", "dashboard");
  const bar = page.getByRole("navigation", { name: "Views" });
  for (const view of VIEWS) {
    if (view.menu) await bar.getByRole("button", { name: view.menu, exact: true }).click();
    const item = view.menu
      ? page.getByRole("menuitemradio", { name: new RegExp(`^${view.title}`) })
      : bar.getByRole("link", { name: view.title, exact: true });
    await item.click();
    await viewer.idle();
    await expect(page.getByRole("heading", { level: 1 })).toHaveText(view.heading);
  }
});

test("the menus lead to views, by keyboard", async ({ viewer }) => {
  const { page } = viewer;
  await viewer.open("gpt2_bf16", "dashboard");
  const bar = page.getByRole("navigation", { name: "Views" });
  await bar.getByRole("button", { name: "Ops", exact: true }).focus();
  await page.keyboard.press("ArrowDown");
  await expect(page.getByRole("menuitemradio", { name: /^Op types/ })).toBeFocused();
  await page.keyboard.press("End");
  await page.keyboard.press("Home");
  await page.keyboard.press("ArrowDown");
  await expect(page.getByRole("menuitemradio", { name: /^Group ops/ })).toBeFocused();
  await page.keyboard.press("Enter");
  await viewer.idle();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Group ops");
  await bar.getByRole("button", { name: "Ops", exact: true }).press("Enter");
  await page.keyboard.press("Escape");
  await expect(page.getByRole("menu")).toHaveCount(0);
  await expect(bar.getByRole("button", { name: "Ops", exact: true })).toBeFocused();
});

test("the brand goes to the dashboard, and help describes the viewer", async ({ viewer }) => {
  const { page } = viewer;
  await viewer.open("gpt2_bf16", "trust");
  await page.getByRole("link", { name: "Warpsight" }).click();
  await viewer.idle();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(/^Dashboard/);
  await page.keyboard.press("?");
  const help = page.getByRole("dialog", { name: "Help" });
  for (const view of VIEWS)
    await expect(help.getByRole("link", { name: view.title })).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(help).toHaveCount(0);
});

test("the profile switcher shows another profile in the same view", async ({ viewer }) => {
  const { page } = viewer;
  await viewer.open("gpt2_bf16", "trust");
  await page.getByRole("button", { name: "Profile" }).click();
  await page.getByRole("menuitemradio", { name: new RegExp(`^${WITHOUT_OPS}`) }).click();
  await viewer.idle();
  await expect(page).toHaveTitle(`Trust · ${WITHOUT_OPS} · Warpsight`);
  await expect(viewer.panel("In short")).toContainText("100.0 % of the GPU time belongs to no op");
});

test("the theme is kept", async ({ viewer }) => {
  const { page } = viewer;
  const theme = () => page.evaluate(() => document.documentElement.dataset.theme);
  await viewer.open("gpt2_bf16", "trust");
  expect(await theme()).toBe("light");
  await page.getByRole("button", { name: "Theme: as the system" }).click();
  await page.getByRole("button", { name: "Theme: light" }).click();
  await expect(page.getByRole("button", { name: "Theme: dark" })).toBeVisible();
  await page.reload();
  await viewer.idle();
  expect(await theme()).toBe("dark");
});

test.describe("the system's theme", () => {
  test.use({ colorScheme: "dark" });
  test("is followed", async ({ viewer }) => {
    await viewer.open("gpt2_bf16", "trust");
    expect(await viewer.page.evaluate(() => document.documentElement.dataset.theme)).toBe("dark");
    await viewer.page.emulateMedia({ colorScheme: "light" });
    await expect(viewer.page.locator("html")).toHaveAttribute("data-theme", "light");
  });
});

/** Empty panels without a sentence that gives the reason. */
function emptyWithoutReason(page: import("@playwright/test").Page): Promise<string[]> {
  return page.locator("section.panel").evaluateAll((panels) =>
    panels
      .filter((panel) => {
        const body = panel.querySelector(".panel-body");
        return (body?.textContent ?? "").trim() === "" && !body?.querySelector("canvas, svg");
      })
      .map((panel) => panel.querySelector("h2")?.textContent ?? "?"),
  );
}
