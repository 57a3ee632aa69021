// Measures how quickly a browser shows a profile: viewer_browser.mjs CHROMIUM URL PROFILE TOKEN.
// Prints JSON: paint_ms (the dashboard, from navigation until its numbers are painted; the median
// of five), frames_per_s (the timeline while it is zoomed and panned; the slowest of several
// intervals).
import { createRequire } from "node:module";

const require = createRequire(new URL("../viewer/package.json", import.meta.url));
const { chromium } = require("@playwright/test");

const [executablePath, url, profile, token] = process.argv.slice(2);
const browser = await chromium.launch({
  executablePath,
  args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
         "--disable-background-networking", "--disable-component-update", "--disable-sync"],
});

// A browser that has opened the viewer's address once.
async function newContext() {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  await context.addCookies([{ name: `warpsight_token_${new URL(url).port}`, value: token, url }]);
  return context;
}

async function paint() {
  const context = await newContext();
  const page = await context.newPage();
  await page.goto("about:blank");
  await page.addInitScript(() => {
    // The time after the frame in which the length of a step is displayed.
    const look = () => {
      const shown = document.querySelector("main")?.textContent?.includes("How long does a step take?");
      if (!shown) return requestAnimationFrame(look);
      requestAnimationFrame(() => setTimeout(() => { window.paintedAt = performance.now(); }));
    };
    requestAnimationFrame(look);
  });
  await page.goto(`${url}#/${profile}/dashboard`);
  await page.waitForFunction(() => window.paintedAt !== undefined);
  const painted = await page.evaluate(() => window.paintedAt);
  await context.close();
  return painted;
}

async function frames() {
  const page = await (await newContext()).newPage();
  await page.goto(`${url}#/${profile}/timeline`);
  await page.waitForFunction(() => document.documentElement.dataset.idle === "true");
  await page.mouse.move(800, 500);
  const rates = [];
  for (let stretch = 0; stretch < 8; stretch += 1) {
    await page.evaluate(() => window.warpsight.timeline.frames.reset());
    for (let i = 0; i < 24; i += 1) {
      if (i < 12) await page.mouse.wheel(0, stretch < 6 ? -120 : 240);
      else await page.mouse.wheel(120, 0);
      await page.waitForTimeout(30);
    }
    await page.waitForTimeout(300);
    const seen = await page.evaluate(() => {
      const { drawn, movingMs, movingFrames, longestDrawMs, longestFrameMs, slices } =
        window.warpsight.timeline.frames;
      return { drawn, movingMs, movingFrames, longestDrawMs, longestFrameMs, slices };
    });
    rates.push({ ...seen, rate: (1000 * seen.movingFrames) / seen.movingMs });
  }
  await page.close();
  return rates;
}

const paints = [];
for (let i = 0; i < 5; i += 1) paints.push(await paint());
paints.sort((a, b) => a - b);
const stretches = await frames();
await browser.close();
console.log(JSON.stringify({
  paint_ms: paints[2],
  frames_per_s: Math.min(...stretches.map((stretch) => stretch.rate)),
  stretches,
}));
