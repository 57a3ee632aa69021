/**
 * The exact value behind a rounded number on the page, for tests and scripts: `data-field` says which
 * number it is, as a path in the server's answer where members of lists are named by their id, and
 * `data-value` holds all of its digits.
 */
export interface Exact {
  "data-field": string;
  "data-value": string;
}

export function exact(field: string, value: number | string | boolean | null): Exact {
  return { "data-field": field, "data-value": value === null ? "" : String(value) };
}
