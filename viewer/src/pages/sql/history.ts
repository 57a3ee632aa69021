const KEY = "warpsight.sql.history";
const KEPT = 20;

/** The statements of this session, latest first. */
export function readHistory(): string[] {
  try {
    const list: unknown = JSON.parse(sessionStorage.getItem(KEY) ?? "[]");
    return Array.isArray(list) ? list.filter((text) => typeof text === "string") : [];
  } catch {
    return [];
  }
}

export function remember(statement: string): void {
  const list = [statement, ...readHistory().filter((text) => text !== statement)].slice(0, KEPT);
  try {
    sessionStorage.setItem(KEY, JSON.stringify(list));
  } catch {
    // Without storage there is no history.
  }
}
