import { readFileSync } from "node:fs";
import path from "node:path";
import { type BrowserContext, expect, type Locator, type Page } from "@playwright/test";
import { SITE } from "./program";
import { formatRoute, type RouteParams } from "./route";
import { getJson } from "./server";

export interface Place {
  agg?: string;
  params?: RouteParams;
}

/** The viewer on a page of the browser, with methods in its users' terms. */
export class Viewer {
  constructor(
    readonly page: Page,
    readonly url: string,
  ) {}

  address(profile: string, view: string, place: Place = {}): string {
    return this.url + formatRoute(profile, view, place.agg, place.params);
  }

  async open(profile: string, view: string, place: Place = {}): Promise<void> {
    await this.page.goto(this.address(profile, view, place));
    await this.idle();
  }

  /** Waits until nothing is being fetched or drawn. */
  async idle(): Promise<void> {
    await this.page.evaluate(
      () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 0))),
    );
    await this.page.waitForFunction(() => document.documentElement.dataset.idle === "true", null, {
      timeout: 60_000,
    });
  }

  /** Exists only if the profile has more than one aggregation. */
  get aggregationMenu(): Locator {
    return this.page.getByRole("button", { name: /^Iterations .*: choose others$/ });
  }

  /** A section of the view by its title. */
  panel(title: string | RegExp): Locator {
    return this.page.getByRole("region", { name: title, exact: typeof title === "string" });
  }

  table(label: string | RegExp): Table {
    return new Table(
      this,
      this.page.locator(".table-frame").filter({
        has: this.page
          .getByRole("grid", { name: label, exact: true })
          .or(this.page.getByRole("table", { name: label, exact: true })),
      }),
    );
  }

  get params(): URLSearchParams {
    const hash = new URL(this.page.url()).hash;
    return new URLSearchParams(hash.includes("?") ? hash.slice(hash.indexOf("?") + 1) : "");
  }

  api<T>(profile: string, rest: string, agg = "default"): Promise<T> {
    const base = `${this.url}api/profiles/${encodeURIComponent(profile)}`;
    return getJson<T>(`${base}/aggregations/${encodeURIComponent(agg)}/${rest}`);
  }

  async noErrors(): Promise<void> {
    await expect(this.page.getByRole("alert")).toHaveCount(0);
    await expect(this.page.locator(".error-page")).toHaveCount(0);
  }
}

/** One table with its tools and its footer. */
export class Table {
  constructor(
    private readonly viewer: Viewer,
    readonly frame: Locator,
  ) {}

  get search(): Locator {
    return this.frame.getByPlaceholder("Search");
  }

  get rows(): Locator {
    return this.frame.locator("tbody tr.table-row");
  }

  get foot(): Locator {
    return this.frame.locator(".table-foot [role=status]");
  }

  header(label: string): Locator {
    return this.frame.getByRole("columnheader", { name: label, exact: true });
  }

  async sortBy(label: string): Promise<void> {
    await this.header(label).getByRole("button").click();
    await this.viewer.idle();
  }

  /** The texts of a column, from top to bottom. */
  texts(column: string): Promise<string[]> {
    return this.rows.locator(`td[data-column="${column}"]`).allInnerTexts();
  }

  /** The exact values of a numeric column. */
  async values(column: string): Promise<(number | null)[]> {
    const cells = this.rows.locator(`td[data-column="${column}"]`);
    const texts = await cells.evaluateAll((list) =>
      list.map((cell) => (cell as HTMLElement).dataset.value ?? ""),
    );
    return texts.map((text) => (text === "" ? null : Number(text)));
  }

  async exportAs(choice: string) {
    await this.frame.getByRole("button", { name: /^Export / }).click();
    const waiting = this.viewer.page.waitForEvent("download");
    await this.viewer.page.getByRole("menuitem", { name: choice, exact: true }).click();
    const download = await waiting;
    return { name: download.suggestedFilename(), bytes: readFileSync(await download.path()) };
  }
}

const TYPES: Record<string, string> = { html: "text/html", js: "text/javascript", css: "text/css" };

/** Serves the front end from a folder, and everything else from the program. */
export async function useLocalSite(context: BrowserContext, url: string): Promise<void> {
  const site = SITE;
  if (!site) return;
  await context.route(
    (address) => address.href.startsWith(url) && !address.pathname.startsWith("/api/"),
    (route) => {
      const name = new URL(route.request().url()).pathname.slice(1) || "index.html";
      const body = readFileSync(path.join(site, name));
      return route.fulfill({ body, contentType: TYPES[name.replace(/^.*\./, "")] });
    },
  );
}
