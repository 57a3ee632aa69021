import { useEffect } from "react";
import { bindingFor, type KeyContext } from "./keys";

const FIELDS = "input, textarea, select, [contenteditable], dialog *";
/** Keys that buttons, links, tabs and sliders use themselves. */
const OWN_KEYS = /^(?:Enter| |Arrow\w+|Home|End|Page\w+)$/;

/**
 * Keys act wherever the focus is on the page, so that they also work after a click on a button.
 * They do not act while the user types into a field, or if the focused element uses the key itself.
 */
export function acts(event: KeyboardEvent, surface: HTMLElement | null): boolean {
  const { target } = event;
  if (event.defaultPrevented || !(target instanceof Element)) return false;
  if (target === document.body || target === surface) return true;
  return !target.matches(FIELDS) && !OWN_KEYS.test(event.key);
}

export function useKeys(surface: { current: HTMLElement | null }, context: KeyContext): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (!acts(event, surface.current)) return;
      const binding = bindingFor(event);
      if (binding === undefined) return;
      event.preventDefault();
      binding.run(context, event.shiftKey);
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, [surface, context]);
}
