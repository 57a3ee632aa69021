import { describe, expect, it } from "vitest";
import manifest from "../package.json";

const files = import.meta.glob<string>(["./**/*.ts", "./**/*.tsx", "!./**/*.test.{ts,tsx}"], {
  query: "?raw",
  import: "default",
  eager: true,
});

/** The packages that the page's code imports; "echarts/core" belongs to "echarts". */
function imported(): Set<string> {
  const packages = new Set<string>();
  for (const text of Object.values(files)) {
    for (const [, target = ""] of text.matchAll(/(?:from|import)\s*\(?\s*"([^."][^"]*)"/g)) {
      const parts = target.split("/");
      packages.add(parts.slice(0, target.startsWith("@") ? 2 : 1).join("/"));
    }
  }
  return packages;
}

describe("the page's packages", () => {
  it("are those that its code imports", () => {
    expect([...imported()].sort()).toEqual(Object.keys(manifest.dependencies).sort());
  });
});
