// @vitest-environment node
import { describe, expect, it } from "vitest";
import { bindingFor, KEY_BINDINGS } from "./keys";

const press = (
  key: string,
  held: Partial<Record<"ctrlKey" | "metaKey" | "altKey", true>> = {},
) => ({
  key,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  shiftKey: false,
  ...held,
});

describe("keys", () => {
  it("each have one meaning", () => {
    const keys = KEY_BINDINGS.flatMap((binding) => binding.keys);
    expect(new Set(keys).size).toBe(keys.length);
  });

  it("work with caps lock", () => {
    expect(bindingFor(press("W"))).toBe(bindingFor(press("w")));
    expect(bindingFor(press("ArrowRight"))?.shown).toBe("→");
    expect(bindingFor(press("?"))?.what).toBe("This help");
  });

  it("do not override the browser's shortcuts", () => {
    expect(bindingFor(press("f", { ctrlKey: true }))).toBeUndefined();
    expect(bindingFor(press("s", { metaKey: true }))).toBeUndefined();
    expect(bindingFor(press("ArrowLeft", { altKey: true }))).toBeUndefined();
    expect(bindingFor(press("q"))).toBeUndefined();
  });
});
