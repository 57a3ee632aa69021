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

/** Starts servers for one test; all are stopped at its end. */
type ServerStarter = (files: string[], options?: ServerOptions) => Promise<Server>;

interface TestFixtures {
  /** Errors of the page that a test causes on purpose. */
  expectedErrors: RegExp | null;
  viewer: Viewer;
  start: ServerStarter;
  /** Starts a server for this test, loads its profiles, and opens it in the browser. */
  serve: (files: string[]) => Promise<Viewer>;
}

interface WorkerFixtures {
  /** A server with all bundled profiles, loaded. */
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

/** Collects errors in the page that are not visible, and requests to other hosts. */
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
