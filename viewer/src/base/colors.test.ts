import { describe, expect, it } from "vitest";
import {
  categoryColor,
  contrast,
  IDLE_CAUSES,
  idleColor,
  RESOURCES,
  resourceColor,
  textOn,
} from "./colors";

const CATEGORIES = [
  ...RESOURCES,
  ...["annotation", "module", "python", "api", "sync", "overhead", "iteration", "outside"],
  ...IDLE_CAUSES.map((cause) => `gap_${cause}`),
];

describe.each(["light", "dark"] as const)("%s colors", (theme) => {
  it.each(CATEGORIES)("text on %s is readable", (id) => {
    const color = categoryColor(id, theme);
    expect(contrast(color, textOn(color))).toBeGreaterThanOrEqual(4.5);
  });

  it("distinguish resources", () => {
    expect(new Set(RESOURCES.map((id) => resourceColor(id, theme))).size).toBe(RESOURCES.length);
    expect(new Set(IDLE_CAUSES.map((id) => idleColor(id, theme))).size).toBe(IDLE_CAUSES.length);
  });

  it("are the same for a cause in every view", () => {
    expect(categoryColor("gap_host_work", theme)).toBe(resourceColor("cpu", theme));
    expect(categoryColor("never heard of", theme)).toBe(resourceColor("other", theme));
  });
});
