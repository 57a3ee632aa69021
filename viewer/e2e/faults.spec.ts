import { execFileSync } from "node:child_process";
import { closeSync, copyFileSync, openSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import path from "node:path";
import type { ProfileEntry } from "../src/base/api";
import type { Dashboard } from "../src/base/api_types";
import { cutShort, cutTrace, overwritten, withSchema } from "./support/damage";
import { expect, profilePath, test } from "./support/fixtures";
import { ROOT, TRACES, WITHOUT_OPS } from "./support/program";
import { AUTHORIZATION, getJson, logIn, whenLoaded } from "./support/server";
import { useLocalSite, Viewer } from "./support/viewer";
import { VIEWS } from "./support/views";

const PROFILE = "gpt2_bf16";
const SMALL = "jax_mlp";

test("files that are not profiles get a page that says what is wrong and what to do", async ({
  serve,
}, info) => {
  const text = info.outputPath("notes.warpsight");
  writeFileSync(text, "these are notes\n");
  const picture = info.outputPath("picture.png");
  writeFileSync(picture, Buffer.from([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, 0, 0, 0, 13]));
  const json = info.outputPath("settings.json");
  writeFileSync(json, '{"color": "blue"}');
  const viewer = await serve([
    text,
    picture,
    json,
    cutShort(profilePath(SMALL), info.outputPath("cut.warpsight")),
    overwritten(profilePath(SMALL), info.outputPath("damaged.warpsight")),
    profilePath(SMALL),
  ]);
  const { page } = viewer;
  for (const [id, title, reason] of [
    ["notes", "This file is not a profile", /DuckDB/],
    ["picture.png", "The trace could not be read", /not a trace/],
    ["settings", "The trace could not be read", /./],
    ["cut", "The profile is damaged", /truncated/],
    ["damaged", "The profile is damaged", /damaged/],
  ] as const) {
    await viewer.open(id, "dashboard");
    await expect(page.getByRole("heading", { level: 1 })).toHaveText(title);
    await expect(page.getByRole("main")).toContainText(reason);
    await expect(page.locator(".error-page pre")).toContainText("warpsight ");
  }
  // They do not affect the valid profile.
  await page.getByRole("button", { name: "Profile" }).click();
  await expect(page.getByRole("menuitemradio", { name: /^cut/ })).toContainText("failed");
  await page.getByRole("menuitemradio", { name: new RegExp(`^${SMALL}`) }).click();
  await viewer.idle();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(`Dashboard of ${SMALL}`);
});

test("profiles of a newer and of an older version say so", async ({ serve }, info) => {
  const newer = await withSchema(99, profilePath(SMALL), info.outputPath("newer.warpsight"));
  const older = await withSchema(0, profilePath(SMALL), info.outputPath("older.warpsight"));
  test.skip(newer === null, "needs the DuckDB library of third_party/duckdb to write such files");
  const viewer = await serve([newer ?? "", older ?? ""]);
  await viewer.open("newer", "dashboard");
  const heading = viewer.page.getByRole("heading", { level: 1 });
  await expect(heading).toHaveText("The profile was made by a newer Warpsight");
  await expect(viewer.page.getByRole("main")).toContainText("schema 99");
  await viewer.open("older", "dashboard");
  await expect(heading).toHaveText(/older Warpsight|not a profile|damaged/);
});

test("a truncated trace opens with the readable part, and says so", async ({ serve }, info) => {
  const trace = path.join(TRACES, `${PROFILE}.pt.trace.json.gz`);
  const viewer = await serve([cutTrace(trace, info.outputPath("cut.pt.trace.json.gz"))]);
  await viewer.page.goto(viewer.url);
  await viewer.idle();
  await expect(viewer.page.locator(".trust")).toContainText(/cut|truncated|incomplete|ends/i);
});

test("the profile's file is removed while it is open", async ({ serve }, info) => {
  const copy = info.outputPath("copy.warpsight");
  copyFileSync(profilePath(PROFILE), copy);
  const viewer = await serve([copy]);
  await viewer.open("copy", "dashboard");
  rmSync(copy);
  for (const view of VIEWS) {
    await viewer.open("copy", view.id);
    await expect(viewer.page.getByRole("heading", { level: 1 })).toHaveText(view.heading);
    await viewer.noErrors();
  }
  await viewer.page.reload();
  await viewer.idle();
  await viewer.noErrors();
  await expect(viewer.page.getByText("was replaced, changed or removed")).toBeVisible();
  await viewer.open("copy", "sql", { params: { q: "SELECT 40 + 2 AS answer" } });
  await expect(viewer.page.getByRole("main")).toContainText("42");
  await viewer.noErrors();
});

test("a file that vanishes before it is read gets a page that says so", async ({
  page,
  context,
  start,
}, info) => {
  // Pipes: the one that is read first blocks until something writes to it, the other waits meanwhile.
  const pipes = ["one.json", "two.json"].map((name) => info.outputPath(name));
  for (const pipe of pipes) execFileSync("mkfifo", [pipe]);
  const server = await start(pipes);
  const entries = async () =>
    (await getJson<{ profiles: ProfileEntry[] }>(`${server.url}api/profiles`)).profiles;
  const isWaiting = (entry: ProfileEntry) => entry.phase === "waiting";
  const isRead = (entry: ProfileEntry) => !isWaiting(entry) && entry.phase !== "";
  await expect
    .poll(async () => (await entries()).some(isRead) && (await entries()).some(isWaiting))
    .toBe(true);
  const waiting = (await entries()).find(isWaiting);
  const read = (await entries()).find(isRead);
  rmSync(waiting?.path ?? "");
  closeSync(openSync(read?.path ?? "", "w"));
  await whenLoaded(server);
  await logIn(context, server.url);
  await useLocalSite(context, server.url);
  const viewer = new Viewer(page, server.url);
  await viewer.open(waiting?.id ?? "", "dashboard");
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("The file does not exist");
  await expect(page.getByRole("main")).toContainText(waiting?.path ?? "");
  await expect(page.locator(".error-page pre")).toHaveText("warpsight view PATH");
  await viewer.open(read?.id ?? "", "dashboard");
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("The trace could not be read");
});

test("a trace is imported with a page that tells how far it is", async ({
  page,
  context,
  start,
}) => {
  const folders = ["h200", "pairs", "pairs_extra"].map((name) =>
    path.join(ROOT, "tests/data", name),
  );
  const traces = folders.flatMap((folder) =>
    readdirSync(folder)
      .filter((file) => file.endsWith(".json.gz"))
      .map((file) => path.join(folder, file)),
  );
  const server = await start(traces);
  await logIn(context, server.url);
  await useLocalSite(context, server.url);
  const viewer = new Viewer(page, server.url);
  const last = path.basename(traces.at(-1) ?? "").replace(/\.pt\.trace\.json\.gz$/, "");
  await page.goto(viewer.address(last, "dashboard"));
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(/^Opening /);
  await expect(page.getByRole("progressbar")).toBeVisible();
  // The profile opens automatically.
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(/^Dashboard of /, {
    timeout: 90_000,
  });
  await viewer.idle();
  await viewer.open(last, "sql");
  await viewer.noErrors();
});

test("empty views say why", async ({ viewer }) => {
  const { page } = viewer;
  const without = "resnet18_cuda_graph_inference";
  for (const [profile, view, params, reason] of [
    [WITHOUT_OPS, "op-types", {}, "100.0 % of the GPU time was not launched by a known op"],
    [WITHOUT_OPS, "roofline", {}, /Nothing to draw.*started by no known op/],
    [without, "dashboard", {}, "No recorded op of the analyzed steps could use Tensor Cores"],
    [PROFILE, "reports", { report: "expert_systems", "t.q": "nothing like it" }, "None of "],
    [PROFILE, "ops", {}, "with_stack=True"],
    [PROFILE, "ops", { "op.sel": "NO_SUCH_OP" }, "NO_SUCH_OP launched no GPU work"],
    [PROFILE, "kernels-by-iteration", { "it.sel": "77" }, "No GPU work ran in iteration 77"],
    [PROFILE, "timeline", { q: "no event is called this" }, "0"],
  ] as const) {
    await viewer.open(profile, view, { params });
    await expect(page.getByRole("main"), `${profile} ${view}`).toContainText(reason);
  }
});

test.describe("without a connection", () => {
  test.use({ expectedErrors: /ERR_CONNECTION|Failed to load resource|ERR_EMPTY|ERR_SOCKET/ });

  test("the page says so, and continues when the server is back", async ({
    page,
    context,
    start,
  }) => {
    const server = await start([profilePath(PROFILE)]);
    await logIn(context, server.url);
    await useLocalSite(context, server.url);
    const viewer = new Viewer(page, server.url);
    await viewer.open(PROFILE, "dashboard");
    await expect(page.getByRole("heading", { level: 1 })).toHaveText(`Dashboard of ${PROFILE}`);
    await server.stop();
    await page
      .getByRole("navigation", { name: "Views" })
      .getByRole("link", { name: "Advice" })
      .click();
    await expect(page.getByRole("alert")).toContainText("No connection to Warpsight");
    await start([profilePath(PROFILE)], { port: Number(new URL(server.url).port) });
    await page
      .getByRole("button", { name: "Try now" })
      .click({ timeout: 2000 }) // not there if the page has already retried
      .catch(() => undefined);
    await expect(page.getByRole("alert")).toHaveCount(0);
    await expect(page.getByRole("heading", { level: 1 })).toHaveText("Advice");
    await expect(page.locator(".finding-problem")).toBeVisible();
  });
});

test("a slow network shows that it loads, and leaves the page usable", async ({
  viewer,
  context,
}) => {
  const { page } = viewer;
  await viewer.open(PROFILE, "trust");
  const session = await context.newCDPSession(page);
  await session.send("Network.emulateNetworkConditions", {
    offline: false,
    latency: 600,
    downloadThroughput: 40_000,
    uploadThroughput: 20_000,
  });
  // The network could be quicker than the test looks: the response waits for it.
  let release = () => {};
  const seen = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(/\/advice(\?|$)/, async (route) => {
    await seen;
    await route.continue();
  });
  const bar = page.getByRole("navigation", { name: "Views" });
  await bar.getByRole("link", { name: "Advice" }).click();
  await expect(page.getByRole("status").filter({ hasText: "Loading" }).first()).toBeAttached();
  release();
  // Requests that are no longer needed must not delay new ones.
  await bar.getByRole("link", { name: "Dashboard" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(/^Dashboard/);
  await bar.getByRole("link", { name: "Timeline" }).click();
  await viewer.idle();
  await expect(page.getByRole("application")).toBeVisible();
  await viewer.noErrors();
});

test.describe("a flood of requests", () => {
  test.use({ expectedErrors: /status of 503/ });
  test("does not stop the page", async ({ serve }) => {
    const viewer = await serve([profilePath(PROFILE)]);
    const base = `${viewer.url}api/profiles/${PROFILE}/aggregations/default`;
    await viewer.open(PROFILE, "dashboard");
    const outcomes = new Map<number, number>();
    const one = async (i: number) => {
      const answer = await fetch(`${base}/reports/iteration?limit=all&search=a${i}`, {
        headers: AUTHORIZATION,
      }).catch(() => null);
      await answer?.arrayBuffer().catch(() => null);
      const status = answer?.status ?? 0;
      outcomes.set(status, (outcomes.get(status) ?? 0) + 1);
    };
    const flood = Promise.all(Array.from({ length: 600 }, (_, i) => one(i)));
    await viewer.open(PROFILE, "op-types");
    await flood;
    await expect(viewer.table("Op types").rows.first()).toBeVisible();
    await viewer.idle();
    await viewer.noErrors();
    expect([...outcomes.keys()].filter((status) => ![0, 200, 503].includes(status))).toEqual([]);
    expect(outcomes.get(200) ?? 0).toBeGreaterThan(0);
    const api = await viewer.api<Dashboard>(PROFILE, "dashboard");
    expect(api.profile_name).toBe(PROFILE);
  });
});

test.describe("the token", () => {
  test.use({ expectedErrors: /status of 401/ });

  for (const words of [[], ["-b", "0.0.0.0"]]) {
    test(`opens the viewer once and leaves the address ${words.join(" ")}`, async ({
      page,
      start,
    }) => {
      const server = await start([profilePath(SMALL)], { words, ownToken: true });
      const address = new URL(server.address);
      if (words.length > 0) address.hostname = "127.0.0.1";
      const token = address.searchParams.get("token") ?? "";
      expect(token).toMatch(/^[0-9a-f]{32}$/);
      const bare = `${address.origin}/`;
      const refused = await page.goto(bare);
      expect(refused?.status()).toBe(401);
      await expect(page.getByRole("heading", { level: 1 })).toContainText("token");
      const wrong = await page.goto(`${bare}?token=${"0".repeat(32)}`);
      expect(wrong?.status()).toBe(401);
      const viewer = new Viewer(page, bare);
      await page.goto(`${bare}?token=${token}#/${SMALL}/dashboard`);
      await expect(page.getByRole("heading", { level: 1 })).toHaveText(`Dashboard of ${SMALL}`);
      expect(page.url()).not.toContain("token");
      expect(await page.evaluate(() => document.cookie)).not.toContain(token);
      await viewer.open(SMALL, "trust");
      await page.reload();
      await viewer.idle();
      await expect(page.getByRole("heading", { level: 1 })).toHaveText("Trust");
    });
  }

  test("can be entered on the login page", async ({ page, start }) => {
    const server = await start([profilePath(SMALL)], { ownToken: true });
    const token = new URL(server.address).searchParams.get("token") ?? "";
    await page.goto(server.url);
    await page.getByLabel("Token").fill("0".repeat(32));
    await page.getByRole("button", { name: "Open the viewer" }).click();
    await expect(page.getByRole("alert")).toContainText("not valid");
    await page.getByLabel("Token").fill(token);
    await page.getByRole("button", { name: "Open the viewer" }).click();
    await expect(page.getByRole("heading", { level: 1 })).toHaveText(`Dashboard of ${SMALL}`);
    expect(page.url()).not.toContain("token");
  });

  test("is not requested again after links on other pages", async ({ page, start }) => {
    const server = await start([profilePath(SMALL)], { ownToken: true });
    await page.goto(server.address);
    await expect(page.getByRole("heading", { level: 1 })).toHaveText(`Dashboard of ${SMALL}`);
    // Like the page through which `--open` starts a browser.
    await page.goto("data:text/html,<a>elsewhere</a>");
    const link = `${server.url}#/${SMALL}/trust`;
    await page.evaluate((to) => window.location.assign(to), link);
    await expect(page.getByRole("heading", { level: 1 })).toHaveText("Trust");
  });

  test("of a restarted viewer is requested", async ({ page, start }) => {
    const first = await start([profilePath(SMALL)], { ownToken: true });
    await page.goto(first.address);
    await expect(page.getByRole("heading", { level: 1 })).toHaveText(`Dashboard of ${SMALL}`);
    await first.stop();
    await start([profilePath(SMALL)], { ownToken: true, port: Number(new URL(first.url).port) });
    await page
      .getByRole("navigation", { name: "Views" })
      .getByRole("link", { name: "Advice" })
      .click();
    await expect(page.getByRole("alert").first()).toContainText("new token");
    await page.getByRole("button", { name: "Reload" }).click();
    await expect(page.getByLabel("Token")).toBeVisible();
  });
});

test("other host names and other sites are rejected", async ({ server }) => {
  const { port } = new URL(server.url);
  const ask = (headers: Record<string, string>) =>
    new Promise<number>((resolve, reject) => {
      const call = request(
        { host: "127.0.0.1", port, path: "/api/profiles", headers },
        (answer) => {
          answer.resume();
          resolve(answer.statusCode ?? 0);
        },
      );
      call.on("error", reject);
      call.end();
    });
  expect(await ask({ Host: `localhost:${port}` })).toBe(401);
  expect(await ask({ Host: `localhost:${port}`, ...AUTHORIZATION })).toBe(200);
  expect(await ask({ Host: `evil.example:${port}` })).toBe(403);
  expect(await ask({ Host: `localhost:${port}`, Origin: "http://evil.example" })).toBe(403);
  expect(await ask({ Host: `localhost:${port}`, "Sec-Fetch-Site": "cross-site" })).toBe(403);
});
