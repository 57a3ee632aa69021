import { beforeEach, describe, expect, it } from "vitest";
import { currentRoute, formatRoute, href, navigate, parseRoute, setParams } from "./route";

describe("addresses", () => {
  it("are parsed", () => {
    const route = parseRoute("#/gpt2_bf16/timeline?agg=1-2%40aten::linear&event=gpu:123");
    expect(route.profile).toBe("gpt2_bf16");
    expect(route.view).toBe("timeline");
    expect(route.agg).toBe("1-2@aten::linear");
    expect(route.params.get("event")).toBe("gpu:123");
    expect(route.params.has("agg")).toBe(false);
  });

  it.each(["", "#", "#/", "#//"])("%j is an empty route", (hash) => {
    expect(parseRoute(hash)).toMatchObject({ profile: "", view: "", agg: "default" });
  });

  it.each([
    "#/p/dashboard",
    "#/p/timeline?event=gpu:123",
    "#/p/ops?agg=0-3&op.sel=MM_1",
    "#/a%2Fb%20c/ops?t.f.Total%20GPU%20Time%20(ns)=10..&q=a%2Bb%26c",
  ])("%s round-trips", (hash) => expect(formatRoute(parseRoute(hash))).toBe(hash));

  it("accepts any characters in names", () => {
    const params = new Map([["t.q", 'a&b=c#d?e/f+g "h" ü%']]);
    const route = { profile: "p&?#/%", view: "sql", agg: "2-5@aten::a/b", params };
    expect(parseRoute(formatRoute(route))).toEqual(route);
  });

  it("with invalid escapes are not an error", () => {
    expect(parseRoute("#/100%/x").profile).toBe("100%");
  });
});

describe("navigation", () => {
  beforeEach(() => navigate({ profile: "p", view: "ops", agg: "default", params: { a: 1 } }));

  it("keeps profile and aggregation, but not the previous view's parameters", () => {
    navigate({ agg: "1-2" });
    expect(href("timeline", { event: "gpu:5" })).toBe("#/p/timeline?agg=1-2&event=gpu:5");
  });

  it("changes some parameters and keeps others", () => {
    setParams({ b: "x", a: null });
    expect(window.location.hash).toBe("#/p/ops?b=x");
    expect(currentRoute().params.get("b")).toBe("x");
  });

  it("goes to another profile without its aggregation", () => {
    navigate({ agg: "1-2" });
    navigate({ profile: "q" });
    expect(currentRoute()).toMatchObject({ profile: "q", agg: "default" });
  });

  it("follows the back button", async () => {
    navigate({ view: "sql" });
    window.history.back();
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(currentRoute().view).toBe("ops");
  });
});
