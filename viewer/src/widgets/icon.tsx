/** Line icons on a 16-pixel grid. */
const PATHS = {
  chevron: "M4 6l4 4 4-4",
  chevronRight: "M6 4l4 4-4 4",
  chevronLeft: "M10 4l-4 4 4 4",
  first: "M12 4L8 8l4 4M5 4v8",
  last: "M4 4l4 4-4 4M11 4v8",
  up: "M8 13V3M4 7l4-4 4 4",
  down: "M8 3v10M4 9l4 4 4-4",
  search: "M7 12A5 5 0 107 2a5 5 0 000 10zM11 11l3 3",
  filter: "M2 3h12l-4.5 5.5V13l-3-1.5v-3z",
  download: "M8 2v8M5 7l3 3 3-3M3 13h10",
  columns: "M2.5 3h11v10h-11zM6.2 3v10M9.8 3v10",
  close: "M4 4l8 8M12 4l-8 8",
  timeline: "M2 4h6M5 8h7M8 12h6",
  help: "M6 6.2A2 2 0 018 4.5c1.2 0 2 .7 2 1.7 0 1.5-2 1.5-2 3M8 11.5v.1M8 15A7 7 0 108 1a7 7 0 000 14z",
  info: "M8 7.5V11M8 5v.1M8 15A7 7 0 108 1a7 7 0 000 14z",
  warning: "M8 6v3.5M8 11.5v.1M8 2L1.5 13.5h13z",
  error: "M8 4.5V9M8 11v.1M8 15A7 7 0 108 1a7 7 0 000 14z",
  check: "M3.5 8.5l3 3 6-7",
  sun: "M8 11a3 3 0 100-6 3 3 0 000 6zM8 1v1.5M8 13.5V15M1 8h1.5M13.5 8H15M3 3l1 1M12 12l1 1M3 13l1-1M12 4l1-1",
  moon: "M13 9.5A5.5 5.5 0 116.5 3a4.5 4.5 0 006.5 6.5z",
  auto: "M8 2v12M8 2a6 6 0 100 12A6 6 0 008 2zM8 5h4.5M8 8h6M8 11h4.5",
  reset: "M3 8a5 5 0 105-5H4M6 1L4 3l2 2",
  play: "M5 3l8 5-8 5z",
  trash: "M3 4.5h10M6 4.5V3h4v1.5M4.5 4.5l.5 9h6l.5-9",
  external: "M9 3h4v4M13 3L7 9M11 9.5V13H3V5h3.5",
  bulb: "M6 13h4M6.5 11c0-1.5-2-2.4-2-4.8a3.5 3.5 0 017 0c0 2.4-2 3.3-2 4.8z",
  clock: "M8 4.5V8l2.5 1.5M8 14A6 6 0 108 2a6 6 0 000 12z",
  copy: "M5.5 5.5h8v8h-8zM3 10.5H2.5v-8h8V3",
  plus: "M8 3.5v9M3.5 8h9",
  minus: "M3.5 8h9",
} as const;

export type IconName = keyof typeof PATHS;

/** Decorative: the meaning must also be available as text. */
export function Icon({ name, size = 16 }: { name: IconName; size?: number }) {
  return (
    <svg
      className="icon"
      width={size}
      height={size}
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.5"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      focusable="false"
    >
      <path d={PATHS[name]} />
    </svg>
  );
}
