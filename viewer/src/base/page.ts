import type { ComponentType } from "react";

/** A view: the default export of `src/pages/<name>/index.tsx`. Adding such a file adds the view. */
export interface Page {
  /** The view's name in the URL. */
  id: string;
  title: string;
  /** The position in the menu. */
  order: number;
  /** The menu that contains it; pages without a menu are in the bar itself. */
  menu?: string;
  /** What the view shows, for the menu and the help. */
  description?: string;
  /** Fills the window and scrolls by itself, like the timeline. */
  wide?: boolean;
  /** Has its own keys, including those for help and search. */
  ownKeys?: boolean;
  View: ComponentType;
}
