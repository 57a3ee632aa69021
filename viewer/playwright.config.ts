import { existsSync } from "node:fs";
import { cpus } from "node:os";
import { defineConfig } from "@playwright/test";

/** Debian's package, unless CHROMIUM names another one. */
const chromium = process.env.CHROMIUM ?? "/usr/bin/chromium";
if (!existsSync(chromium)) throw new Error(`no Chromium at ${chromium}: set CHROMIUM`);

export default defineConfig({
  testDir: "e2e",
  globalSetup: "./e2e/support/import_profiles.ts",
  outputDir: "test-results/failures",
  // Sanitizers and busy machines are slow.
  timeout: 120_000,
  expect: { timeout: 20_000 },
  workers: Number(process.env.WARPSIGHT_E2E_WORKERS ?? Math.min(4, Math.max(2, cpus().length))),
  fullyParallel: true,
  // A test that passes sometimes is a failure.
  retries: 0,
  forbidOnly: process.env.CI !== undefined,
  reporter: [["list"], ["junit", { outputFile: "test-results/e2e.xml" }]],
  use: {
    viewport: { width: 1440, height: 900 },
    colorScheme: "light",
    locale: "en-US",
    acceptDownloads: true,
    screenshot: "only-on-failure",
    launchOptions: {
      executablePath: chromium,
      args: [
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
      ],
    },
  },
});
