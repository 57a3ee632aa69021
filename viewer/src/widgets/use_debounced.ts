import { useCallback, useEffect, useRef, useState } from "react";
import { busyTimeout } from "../base/idle";

/** A text field whose value is passed on when typing pauses, and immediately by `flush`. */
export function useDebounced(
  value: string,
  onChange: (value: string) => void,
  delayMs = 250,
): [string, (value: string) => void, () => void] {
  const [draft, setDraft] = useState(value);
  const cancel = useRef(() => {});
  const latest = useRef({ draft, onChange });
  latest.current.onChange = onChange;

  useEffect(() => {
    setDraft(value);
    latest.current.draft = value;
  }, [value]);
  useEffect(() => () => cancel.current(), []);

  const flush = useCallback(() => {
    cancel.current();
    latest.current.onChange(latest.current.draft);
  }, []);
  const change = useCallback(
    (next: string) => {
      setDraft(next);
      latest.current.draft = next;
      cancel.current();
      cancel.current = busyTimeout(flush, delayMs);
    },
    [flush, delayMs],
  );
  return [draft, change, flush];
}
