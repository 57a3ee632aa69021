// The keys of the timeline. The same table is used for handling keys and for the help.

import type { Actions } from "./actions";
import type { TimelineModel } from "./timeline_model";

export interface KeyContext {
  model: TimelineModel;
  actions: Actions;
  focusSearch: () => void;
  focusDetails: () => void;
}

export interface KeyBinding {
  /** The values of KeyboardEvent.key, in lower case for letters. */
  keys: readonly string[];
  /** The names in the help. */
  shown: string;
  what: string;
  /** `shift`: whether the shift key is held. */
  run: (context: KeyContext, shift: boolean) => void;
}

export const KEY_BINDINGS: readonly KeyBinding[] = [
  { keys: ["w", "+", "="], shown: "W", what: "Zoom in", run: ({ actions }) => actions.zoom(1) },
  { keys: ["s", "-"], shown: "S", what: "Zoom out", run: ({ actions }) => actions.zoom(-1) },
  { keys: ["a"], shown: "A", what: "Move left", run: ({ actions }) => actions.pan(-1) },
  { keys: ["d"], shown: "D", what: "Move right", run: ({ actions }) => actions.pan(1) },
  {
    keys: ["arrowright"],
    shown: "→",
    what: "Next event in the row",
    run: ({ actions }) => void actions.alongRow(1),
  },
  {
    keys: ["arrowleft"],
    shown: "←",
    what: "Previous event in the row",
    run: ({ actions }) => void actions.alongRow(-1),
  },
  {
    keys: ["arrowup"],
    shown: "↑",
    what: "Parent event (row above)",
    run: ({ actions }) => actions.acrossRows(-1),
  },
  {
    keys: ["arrowdown"],
    shown: "↓",
    what: "Child event (row below)",
    run: ({ actions }) => actions.acrossRows(1),
  },
  {
    keys: ["enter"],
    shown: "Enter",
    what: "Go to the details",
    run: ({ focusDetails }) => focusDetails(),
  },
  {
    keys: ["escape"],
    shown: "Esc",
    what: "Clear the selected interval, then the selected event",
    run: ({ model }) => model.clearSelection(),
  },
  {
    keys: ["f"],
    shown: "F",
    what: "Zoom to the selection",
    run: ({ actions }) => actions.frameSelection(),
  },
  {
    keys: ["0", "home"],
    shown: "0 or Home",
    what: "Show the whole run",
    run: ({ actions }) => actions.wholeRun(),
  },
  { keys: ["/"], shown: "/", what: "Search", run: ({ focusSearch }) => focusSearch() },
  {
    keys: ["n"],
    shown: "N",
    what: "Next match, or next event of the same name",
    run: ({ actions }, shift) => void actions.nextOccurrence(shift ? -1 : 1),
  },
  {
    keys: ["p"],
    shown: "P",
    what: "Previous match, or previous event of the same name",
    run: ({ actions }) => void actions.nextOccurrence(-1),
  },
  {
    keys: ["g"],
    shown: "G",
    what: "Longest GPU gap, then the next longest; with Shift, back",
    run: ({ actions }, shift) => void actions.nextGap(shift ? -1 : 1),
  },
  {
    keys: ["i"],
    shown: "I",
    what: "Next iteration; with Shift, the previous one",
    run: ({ actions }, shift) => void actions.nextIteration(shift ? -1 : 1),
  },
  {
    keys: ["b"],
    shown: "B",
    what: "Break down the time of the selected event",
    run: ({ actions }) => actions.selectStretchOfEvent(),
  },
  {
    keys: ["pagedown"],
    shown: "Page Down",
    what: "Scroll down",
    run: ({ model }) => model.scrollTo(model.view.scrollTop + model.lanesHeight * 0.8),
  },
  {
    keys: ["pageup"],
    shown: "Page Up",
    what: "Scroll up",
    run: ({ model }) => model.scrollTo(model.view.scrollTop - model.lanesHeight * 0.8),
  },
  {
    keys: ["?"],
    shown: "?",
    what: "This help",
    run: ({ model }) => model.patch({ help: !model.ui.get().help }),
  },
];

/** The mouse actions for the help. */
export const MOUSE_HELP: readonly { shown: string; what: string }[] = [
  { shown: "Wheel", what: "Zoom at the pointer" },
  { shown: "Shift + wheel, or sideways", what: "Move" },
  { shown: "Alt + wheel, or wheel over the titles", what: "Scroll" },
  { shown: "Drag", what: "Select an interval and break down its time" },
  { shown: "Shift + drag, or middle button", what: "Move" },
  { shown: "Click", what: "Select an event" },
  { shown: "Double click", what: "Zoom to an event" },
];

interface KeyPress {
  key: string;
  ctrlKey: boolean;
  metaKey: boolean;
  altKey: boolean;
  shiftKey: boolean;
}

export function bindingFor(press: KeyPress): KeyBinding | undefined {
  // The browser's shortcuts are not handled.
  if (press.ctrlKey || press.metaKey || press.altKey) return undefined;
  const key = press.key.toLowerCase();
  return KEY_BINDINGS.find((binding) => binding.keys.includes(key));
}
