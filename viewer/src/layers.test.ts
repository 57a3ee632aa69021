import { describe, expect, it } from "vitest";

/** A layer may import only those before it. */
const LAYERS = ["generated", "base", "widgets", "timeline", "pages", "shell"];

const files = import.meta.glob<string>(["./*/**/*.ts", "./*/**/*.tsx"], {
  query: "?raw",
  import: "default",
  eager: true,
});

function layerOf(path: string): string {
  return path.split("/")[1] ?? "";
}

function resolve(from: string, to: string): string {
  const parts = from.split("/").slice(0, -1);
  for (const part of to.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== ".") parts.push(part);
  }
  return parts.join("/");
}

describe("layers", () => {
  it("are all known", () => {
    const found = new Set(Object.keys(files).map(layerOf));
    expect([...found].filter((layer) => !LAYERS.includes(layer))).toEqual([]);
  });

  it("import only earlier layers, and pages do not import each other", () => {
    const wrong: string[] = [];
    for (const [path, text] of Object.entries(files)) {
      const layer = layerOf(path);
      for (const [, target = ""] of text.matchAll(/(?:from|import)\s*\(?\s*"(\.[^"]+)"/g)) {
        const other = resolve(path, target);
        if (LAYERS.indexOf(layerOf(other)) > LAYERS.indexOf(layer))
          wrong.push(`${path} → ${target}`);
        const pages = layer === "pages" && layerOf(other) === "pages";
        if (pages && path.split("/")[2] !== other.split("/")[2]) wrong.push(`${path} → ${target}`);
      }
    }
    expect(wrong).toEqual([]);
  });
});
