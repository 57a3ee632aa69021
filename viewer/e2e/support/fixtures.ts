import path from "node:path";
import { test as base, expect, type Page } from "@playwright/test";
import { TRACE_OF } from "./program";
import { logIn, type Server, type ServerOptions, startServer, whenLoaded } from "./server";
import { useLocalSite, Viewer } from "./viewer";

export { expect };

/** Names of all bundled profiles. */
export const PROFILES = [...TRACE_OF.keys()];

export function profilePath(name: string): string {
  return path.join(process.env.WARPSIGHT_E2E_PROFILES ?? "", `${name}.warpsight`);
}

/** Starts servers of its own; all are stopped when the test is over. */
type ServerStarter = (files: string[], options?: ServerOptions) => Promise<Server>;

interface TestFixtures {
  /** Errors of the page that a test provokes on purpose. */
  expectedErrors: RegExp | null;
  viewer: Viewer;
  start: ServerStarter;
  /** A server of the test's own, with its profiles opened, in the browser. */
  serve: (files: string[]) => Promise<Viewer>;
}

interface WorkerFixtures {
  /** All bundled profiles, opened. */
  server: Server;
}

export const test = base.extend<TestFixtures, WorkerFixtures>({
  expectedErrors: [null, { option: true }],

  server: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the parameter's form
    async ({}, use) => {
      const server = await startServer(PROFILES.map(profilePath));
      await whenLoaded(server);
      await use(server);
      await server.stop();
    },
    { scope: "worker", timeout: 180_000 },
  ],

  // biome-ignore lint/correctness/noEmptyPattern: as above
  start: async ({}, use) => {
    const started: Server[] = [];
    await use(async (files, options) => {
      const server = await startServer(files, options);
      started.push(server);
      return server;
    });
    for (const server of started) await server.stop();
  },

  serve: async ({ page, context, start, expectedErrors }, use) => {
    const problems = watchForProblems(page, expectedErrors);
    await use(async (files) => {
      const server = await start(files);
      await logIn(context, server.url);
      await useLocalSite(context, server.url);
      await whenLoaded(server);
      return new Viewer(page, server.url);
    });
    expect(problems, "errors of the page").toEqual([]);
  },

  viewer: async ({ page, context, server, expectedErrors }, use) => {
    await logIn(context, server.url);
    await useLocalSite(context, server.url);
    const problems = watchForProblems(page, expectedErrors);
    await use(new Viewer(page, server.url));
    expect(problems, "errors of the page").toEqual([]);
  },
});

/** Whatever goes wrong in the page without being seen, and whatever it asks another host for. */
export function watchForProblems(page: Page, expected: RegExp | null): string[] {
  const problems: string[] = [];
  const note = (text: string) => {
    if (expected === null || !expected.test(text)) problems.push(text);
  };
  page.on("pageerror", (error) => note(`${error.name}: ${error.message}`));
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") note(message.text());
  });
  page.on("request", (request) => {
    const { protocol, hostname } = new URL(request.url());
    const local = ["data:", "blob:"].includes(protocol) || /^(localhost|127\.)/.test(hostname);
    const opened = protocol === "file:" && request.isNavigationRequest();
    if (!local && !opened) note(`asked for ${request.url()}`);
  });
  return problems;
}
