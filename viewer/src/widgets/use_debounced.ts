import { useCallback, useEffect, useRef, useState } from "react";

/** A text field whose value is passed on when typing pauses, and immediately by `flush`. */
export function useDebounced(
  value: string,
  onChange: (value: string) => void,
  delayMs = 250,
): [string, (value: string) => void, () => void] {
  const [draft, setDraft] = useState(value);
  const timer = useRef(0);
  const latest = useRef({ draft, onChange });
  latest.current.onChange = onChange;

  useEffect(() => {
    setDraft(value);
    latest.current.draft = value;
  }, [value]);
  useEffect(() => () => clearTimeout(timer.current), []);

  const flush = useCallback(() => {
    clearTimeout(timer.current);
    latest.current.onChange(latest.current.draft);
  }, []);
  const change = useCallback(
    (next: string) => {
      setDraft(next);
      latest.current.draft = next;
      clearTimeout(timer.current);
      timer.current = window.setTimeout(flush, delayMs);
    },
    [flush, delayMs],
  );
  return [draft, change, flush];
}
