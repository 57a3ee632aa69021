import type { Dashboard } from "../src/base/api_types";
import { formatExactNs, formatPercent } from "../src/base/units";
import { expect, test } from "./support/fixtures";

test.beforeEach(({ viewer }) => viewer.open("gpt2_bf16", "dashboard"));

test("says briefly how long a step takes, what it waits for and what to change", async ({
  viewer,
}) => {
  const api = await viewer.api<Dashboard>("gpt2_bf16", "dashboard");
  const short = viewer.page.getByRole("region", { name: "In short" });
  await expect(short).toContainText(api.verdict.headline);
  await expect(short.locator(".verdict")).toContainText(api.verdict.reason.slice(1));
  await expect(short).toContainText(api.advice[0]?.problem ?? "no advice");
  await expect(short.locator(".trust")).toContainText(api.trust.sentence);
});

test("legend entries switch slices off and on", async ({ viewer }) => {
  const panel = viewer.panel("Where the time goes");
  const slices = panel.locator(".pie-ring path");
  const all = await slices.count();
  expect(all).toBeGreaterThan(2);
  const before = await slices.first().getAttribute("d");
  const entry = panel.getByRole("button", { name: /^host work before the launch/ });
  await entry.click();
  await expect(entry).toHaveAttribute("aria-pressed", "false");
  await expect(slices).toHaveCount(all - 1);
  // The remaining slices fill the ring.
  expect(await slices.first().getAttribute("d")).not.toBe(before);
  await entry.press("Enter");
  await expect(slices).toHaveCount(all);
});

test("hovering a slice or its legend shows its value", async ({ viewer }) => {
  const api = await viewer.api<Dashboard>("gpt2_bf16", "dashboard");
  const resource = api.resources.find(({ id }) => id === "tensor_cores");
  const panel = viewer.panel("Where the time goes");
  // Slices begin at the top and go clockwise: this point is on the ring, a twentieth of a turn from
  // the top.
  const ring = panel.locator(".pie-ring svg");
  const radius = ((await ring.boundingBox())?.width ?? 0) / 2;
  const angle = 0.05 * 2 * Math.PI;
  const x = radius * (1 + 0.83 * Math.sin(angle));
  const y = radius * (1 - 0.83 * Math.cos(angle));
  await ring.hover({ position: { x, y } });
  await expect(panel.locator(".pie-center")).toHaveText(
    `${formatPercent(resource?.percent ?? 0)}${resource?.name}`,
  );
  await panel.getByRole("button", { name: /^Tensor Core kernels/ }).hover();
  await expect(viewer.page.getByRole("tooltip")).toHaveText(formatExactNs(resource?.ns ?? 0));
});

test("each figure of the summary has its definition, by mouse and by keyboard", async ({
  viewer,
}) => {
  const api = await viewer.api<Dashboard>("gpt2_bf16", "dashboard");
  const panel = viewer.panel("Performance summary");
  for (const [i, { name, doc }] of api.summary.entries()) {
    const sign = panel.getByRole("button", { name: `What is ${name}?` });
    if (i % 2 === 0) await sign.hover();
    else await sign.focus();
    await expect(viewer.page.getByRole("tooltip")).toHaveText(doc);
  }
});

const DEEPER: readonly [
  panel: string,
  choice: string,
  heading: string,
  param?: [string, string],
][] = [
  ["GPU utilization", "GPUs", "GPUs"],
  ["Where the time goes", "Iterations", "Iterations"],
  ["Why the GPU was idle", "Idle causes", "All reports", ["report", "gaps"]],
  ["Total kernel GPU time", "Kernels", "All reports", ["report", "kernel"]],
  [
    "Tensor Core efficiency",
    "Ops that could use them",
    "Ops and kernels",
    ["op.f.TC Eligible", "1"],
  ],
  ["Top 10 op types by GPU time", "Group ops", "Group ops"],
  ["Iterations", "Kernels by op", "Kernels by op"],
];

test("More… leads to the detailed views, and back returns", async ({ viewer }) => {
  const { page } = viewer;
  for (const [panel, choice, heading, param] of DEEPER) {
    await viewer
      .panel(panel)
      .getByRole("button", { name: /^More about/ })
      .click();
    await page.getByRole("menuitem", { name: choice, exact: true }).click();
    await viewer.idle();
    await expect(page.getByRole("heading", { level: 1 })).toHaveText(heading);
    if (param) expect(viewer.params.get(param[0])).toBe(param[1]);
    await viewer.noErrors();
    await page.goBack();
    await viewer.idle();
    await expect(page.getByRole("heading", { level: 1 })).toHaveText(/^Dashboard/);
  }
});

test("advice opens its evidence, and that the timeline", async ({ viewer }) => {
  const { page } = viewer;
  const api = await viewer.api<Dashboard>("gpt2_bf16", "dashboard");
  const panel = viewer.panel("Expert advice");
  await expect(panel.getByRole("listitem")).toHaveCount(api.advice.length);
  await panel
    .getByRole("link", { name: /^Evidence for/ })
    .nth(1)
    .click();
  await viewer.idle();
  expect(viewer.params.get("rule")).toBe(api.advice[1]?.rule);
  await expect(page.locator(".finding-problem")).toHaveText(api.advice[1]?.problem ?? "");
  await page.locator(".evidence").getByRole("link", { name: "Timeline" }).first().click();
  await viewer.idle();
  await expect(page.getByRole("region", { name: "Timeline", exact: true })).toBeVisible();
  expect(viewer.params.has("event") || viewer.params.has("start")).toBe(true);
});

test("an op of the top ten is selected in its table, and found in the timeline", async ({
  viewer,
}) => {
  const { page } = viewer;
  const api = await viewer.api<Dashboard>("gpt2_bf16", "dashboard");
  const op = api.top_ops[2];
  const row = viewer.panel("Top 10 op types by GPU time").getByRole("row").nth(3);
  await row.getByRole("link").first().click();
  await viewer.idle();
  await expect(viewer.panel(`Kernels of ${op?.op_id}`)).toBeVisible();
  await page.goBack();
  await viewer.idle();
  await row.getByRole("link", { name: `Show ${op?.op_id} in the timeline` }).click();
  await viewer.idle();
  expect(viewer.params.get("event")).toBe(op?.event);
});

test("guidance leads somewhere", async ({ viewer }) => {
  const { page } = viewer;
  const api = await viewer.api<Dashboard>("gpt2_bf16", "dashboard");
  expect(api.guidance.length).toBeGreaterThan(0);
  for (const [i, item] of api.guidance.entries()) {
    await viewer.panel("Where to look next").getByRole("link").nth(i).click();
    await viewer.idle();
    expect(page.url()).toContain(`/${item.view}`);
    await viewer.noErrors();
    await page.goBack();
    await viewer.idle();
  }
});
