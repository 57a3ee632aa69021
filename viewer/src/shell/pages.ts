import type { Page } from "../base/page";

const modules = import.meta.glob<{ default: Page }>("../pages/*/index.tsx", { eager: true });

/** Every folder of src/pages, in the order of the menu. */
export const PAGES: readonly Page[] = Object.values(modules)
  .map((module) => module.default)
  .sort((a, b) => a.order - b.order);

export const HOME = "dashboard";

export function findPage(id: string): Page | undefined {
  return PAGES.find((page) => page.id === id);
}

export interface PageGroup {
  /** Of a menu; null for pages that stand alone. */
  menu: string | null;
  pages: readonly Page[];
}

/** Pages of one menu together, where its first page stands. */
export function groupPages(pages: readonly Page[]): PageGroup[] {
  const groups: { menu: string | null; pages: Page[] }[] = [];
  for (const page of pages) {
    const menu = page.menu ?? null;
    const group = menu === null ? undefined : groups.find((g) => g.menu === menu);
    if (group) group.pages.push(page);
    else groups.push({ menu, pages: [page] });
  }
  return groups;
}
