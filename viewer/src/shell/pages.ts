import type { Page } from "../base/page";

const modules = import.meta.glob<{ default: Page }>("../pages/*/index.tsx", { eager: true });

/** The pages in all folders of src/pages, in the order of the menu. */
export const PAGES: readonly Page[] = Object.values(modules)
  .map((module) => module.default)
  .sort((a, b) => a.order - b.order);

export const HOME = "dashboard";

export function findPage(id: string): Page | undefined {
  return PAGES.find((page) => page.id === id);
}

export interface PageGroup {
  /** The name of a menu; null for a page outside menus. */
  menu: string | null;
  pages: readonly Page[];
}

/** Groups the pages of one menu, at the position of its first page. */
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
