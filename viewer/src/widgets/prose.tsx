import type { ReactNode } from "react";

/** Shows commands and names in backticks as code. */
export function prose(text: ReactNode): ReactNode {
  if (typeof text !== "string" || !text.includes("`")) return text;
  return text
    .split("`")
    .map((part, i) => (i % 2 === 1 ? <code key={`${String(i)}${part}`}>{part}</code> : part));
}
