import type { ComponentType } from "react";

/** A view. `src/pages/<name>/index.tsx` exports one by default, and that is all it takes to add it. */
export interface Page {
  /** The view's name in the address. */
  id: string;
  title: string;
  /** Place in the menu. */
  order: number;
  /** The menu that contains it; pages without a menu are in the bar itself. */
  menu?: string;
  /** What the view shows, for the menu and the help. */
  description?: string;
  /** Fills the window and scrolls by itself, as the timeline does. */
  wide?: boolean;
  /** Has keys of its own, also for help and search. */
  ownKeys?: boolean;
  View: ComponentType;
}
