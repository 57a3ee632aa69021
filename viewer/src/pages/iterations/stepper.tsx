import { useEffect, useId, useRef, useState } from "react";

interface StepperProps {
  label: string;
  value: number;
  min: number;
  max: number | undefined;
  onChange: (value: number) => void;
}

/** An integer that can be typed, or changed by arrows or by the wheel. */
export function Stepper({ label, value, min, max, onChange }: StepperProps) {
  const id = useId();
  const field = useRef<HTMLInputElement>(null);
  const [draft, setDraft] = useState(String(value));
  useEffect(() => setDraft(String(value)), [value]);

  const limit = (wanted: number) => Math.max(min, Math.min(max ?? Number.MAX_SAFE_INTEGER, wanted));
  const step = useRef((_by: number) => {});
  step.current = (by: number) => onChange(limit(value + by));

  useEffect(() => {
    // React's wheel listeners are passive, so they could not prevent the page from scrolling.
    const onWheel = (event: WheelEvent) => {
      event.preventDefault();
      step.current(event.deltaY < 0 ? 1 : -1);
    };
    const element = field.current;
    element?.addEventListener("wheel", onWheel, { passive: false });
    return () => element?.removeEventListener("wheel", onWheel);
  }, []);

  const commit = () => {
    const typed = Number.parseInt(draft, 10);
    if (Number.isFinite(typed)) onChange(limit(typed));
    setDraft(String(value));
  };
  return (
    <div className="stepper">
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        ref={field}
        className="input"
        type="number"
        min={min}
        max={max}
        value={draft}
        onChange={(event) => {
          setDraft(event.target.value);
          const typed = Number.parseInt(event.target.value, 10);
          if (Number.isFinite(typed) && limit(typed) === typed) onChange(typed);
        }}
        onBlur={commit}
        onKeyDown={(event) => event.key === "Enter" && commit()}
      />
    </div>
  );
}
