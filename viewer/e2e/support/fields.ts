import type { Page } from "@playwright/test";

/** A rounded number on the page, with the exact one behind it. */
export interface ShownField {
  field: string;
  value: string;
  text: string;
}

export function shownFields(page: Page): Promise<ShownField[]> {
  return page.locator("[data-field]").evaluateAll((elements) =>
    elements.map((element) => ({
      field: (element as HTMLElement).dataset.field ?? "",
      value: (element as HTMLElement).dataset.value ?? "",
      text: (element.textContent ?? "").trim(),
    })),
  );
}

type Json = string | number | boolean | null | Json[] | { [name: string]: Json };

const NAMES = ["id", "op_id", "rule", "name"];

/** A value by its path; members of lists are named by their distinguishing field. */
export function lookUp(data: unknown, field: string): Json | undefined {
  let at = data as Json | undefined;
  let rest = field;
  while (rest !== "" && at !== undefined && at !== null && typeof at === "object") {
    const [name, next] = step(at, rest);
    at = Array.isArray(at) ? at.find((member) => nameOf(member) === name) : at[name];
    rest = next;
  }
  return rest === "" ? at : undefined;
}

/** The next part of a path. Names may contain dots, so the longest existing one is used. */
function step(at: Json[] | { [name: string]: Json }, rest: string): [string, string] {
  const names = Array.isArray(at) ? at.map(nameOf) : Object.keys(at);
  const fitting = names.filter((name) => rest === name || rest.startsWith(`${name}.`));
  const name = fitting.sort((a, b) => b.length - a.length)[0] ?? rest;
  return [name, rest.slice(name.length + 1)];
}

function nameOf(member: Json): string {
  if (typeof member !== "object" || member === null || Array.isArray(member)) return "";
  const key = NAMES.find((name) => name in member);
  return key === undefined ? "" : String(member[key]);
}
