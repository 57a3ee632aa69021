import { useEffect, useLayoutEffect, useRef, useState } from "react";
import { Icon } from "./icon";
import "./tip.css";

const DELAY_MS = 120;
const ID = "tip";

interface Shown {
  text: string;
  target: Element;
}

/**
 * Shows the `data-tip` of the element under the pointer or with the focus. There is one layer for
 * the whole page, so that thousands of cells can have a tip without cost.
 */
export function TipLayer() {
  const [shown, setShown] = useState<Shown | null>(null);
  const box = useRef<HTMLDivElement>(null);

  useEffect(() => {
    let timer = 0;
    let current: Element | null = null;
    const hide = () => {
      clearTimeout(timer);
      current?.removeAttribute("aria-describedby");
      current = null;
      setShown(null);
    };
    const consider = (event: Event) => {
      const target = event.target instanceof Element ? event.target.closest("[data-tip]") : null;
      if (target === current) return;
      hide();
      const text = target?.getAttribute("data-tip");
      if (!target || !text) return;
      current = target;
      timer = window.setTimeout(() => {
        if (!target.isConnected) return;
        target.setAttribute("aria-describedby", ID);
        setShown({ text, target });
      }, DELAY_MS);
    };
    const onFocus = (event: FocusEvent) => {
      if (event.target instanceof Element && event.target.matches(":focus-visible"))
        consider(event);
    };
    const onKey = (event: KeyboardEvent) => {
      if (event.key === "Escape") hide();
    };
    document.addEventListener("pointerover", consider);
    document.addEventListener("focusin", onFocus);
    document.addEventListener("focusout", hide);
    document.addEventListener("pointerdown", hide);
    document.addEventListener("keydown", onKey);
    document.addEventListener("scroll", hide, true);
    window.addEventListener("blur", hide);
    return () => {
      hide();
      document.removeEventListener("pointerover", consider);
      document.removeEventListener("focusin", onFocus);
      document.removeEventListener("focusout", hide);
      document.removeEventListener("pointerdown", hide);
      document.removeEventListener("keydown", onKey);
      document.removeEventListener("scroll", hide, true);
      window.removeEventListener("blur", hide);
    };
  }, []);

  useLayoutEffect(() => {
    if (shown === null || box.current === null) return;
    const target = shown.target.getBoundingClientRect();
    const tip = box.current.getBoundingClientRect();
    const below = target.bottom + 6 + tip.height < window.innerHeight;
    const left = target.left + target.width / 2 - tip.width / 2;
    box.current.style.left = `${Math.max(8, Math.min(left, window.innerWidth - tip.width - 8))}px`;
    box.current.style.top = `${below ? target.bottom + 6 : Math.max(8, target.top - tip.height - 6)}px`;
  }, [shown]);

  if (shown === null) return null;
  return (
    <div className="tip" role="tooltip" id={ID} ref={box}>
      {shown.text}
    </div>
  );
}

/** A sign with a definition. */
export function Definition({ of, text }: { of: string; text: string | undefined }) {
  if (!text) return null;
  return (
    <button type="button" className="definition" aria-label={`What is ${of}?`} data-tip={text}>
      <Icon name="info" size={13} />
    </button>
  );
}
