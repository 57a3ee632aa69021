/**
 * The exact value behind a rounded number on the page, for tests and scripts: `data-field`
 * identifies the number by its path in the server's response, with ids for members of lists, and
 * `data-value` has all of its digits.
 */
export interface Exact {
  "data-field": string;
  "data-value": string;
}

export function exact(field: string, value: number | string | boolean | null): Exact {
  return { "data-field": field, "data-value": value === null ? "" : String(value) };
}
