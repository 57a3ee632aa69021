import { afterEach, describe, expect, it } from "vitest";
import { acts } from "./use_keys";

afterEach(() => document.body.replaceChildren());

function pressOn(html: string, key: string): boolean {
  document.body.innerHTML = html;
  const target = document.querySelector("[data-target]") ?? document.body;
  let result = false;
  const listen = (event: KeyboardEvent) => {
    result = acts(event, document.querySelector<HTMLElement>("#surface"));
  };
  document.addEventListener("keydown", listen);
  target.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
  document.removeEventListener("keydown", listen);
  return result;
}

describe("keys", () => {
  it("act on the canvas and without a focused element", () => {
    expect(pressOn('<div id="surface" data-target></div>', "ArrowRight")).toBe(true);
    expect(pressOn("", "Enter")).toBe(true);
  });

  it("do not act in text fields and dialogs", () => {
    expect(pressOn("<input data-target>", "w")).toBe(false);
    expect(pressOn("<dialog open><button data-target>x</button></dialog>", "w")).toBe(false);
  });

  it("do not act on buttons that use the key themselves", () => {
    expect(pressOn("<button data-target>x</button>", "w")).toBe(true);
    expect(pressOn("<button data-target>x</button>", "Enter")).toBe(false);
    expect(pressOn('<div role="slider" tabindex="0" data-target></div>', "ArrowLeft")).toBe(false);
  });
});
