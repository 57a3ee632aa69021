// The colours of the canvas. Categories have the colours of base/colors; slices are opaque mixtures of
// them with the background, since transparent ones cost the rasterizer twice as much.

import { categoryColor, textOn } from "../base/colors";
import type { Theme } from "../base/theme";
import { COVER_STEPS, KEYS_PER_CATEGORY, paintKey, SHADES } from "./tile_paint";

export interface Palette {
  readonly theme: Theme;
  /** By paint key. */
  readonly fill: readonly string[];
  readonly text: readonly string[];
  /** Of slices that the search does not name. */
  readonly dimFill: readonly string[];
  readonly dimText: string;
  /** By category. */
  readonly category: readonly string[];
  readonly onCategory: readonly string[];
  readonly background: string;
  readonly header: string;
  readonly groupBand: string;
  readonly stripe: string;
  readonly line: string;
  readonly grid: string;
  readonly iterationLine: string;
  readonly ink: string;
  readonly faintInk: string;
  readonly wash: string;
  readonly accent: string;
  readonly accentFill: string;
  readonly match: string;
  readonly arrow: string;
  readonly forwardArrow: string;
  readonly labelBack: string;
}

const CHROME = {
  light: {
    background: "#ffffff",
    header: "#ffffff",
    groupBand: "#f1f3f6",
    stripe: "#fafbfc",
    line: "#e3e7ec",
    grid: "#eef0f3",
    iterationLine: "rgba(70, 84, 104, 0.28)",
    ink: "#1d232b",
    faintInk: "#5b6573",
    wash: "rgba(128, 136, 150, 0.22)",
    accent: "#1f5fd0",
    accentFill: "rgba(31, 95, 208, 0.10)",
    match: "#d0106a",
    arrow: "#1f5fd0",
    forwardArrow: "#8a2be2",
    labelBack: "rgba(255, 255, 255, 0.92)",
  },
  dark: {
    background: "#14181e",
    header: "#14181e",
    groupBand: "#1d232c",
    stripe: "#171c23",
    line: "#29313c",
    grid: "#1e242d",
    iterationLine: "rgba(170, 185, 208, 0.26)",
    ink: "#e6eaf0",
    faintInk: "#98a3b3",
    wash: "rgba(10, 12, 16, 0.50)",
    accent: "#7ab0ff",
    accentFill: "rgba(122, 176, 255, 0.16)",
    match: "#ff6fb1",
    arrow: "#8fbcff",
    forwardArrow: "#c79bff",
    labelBack: "rgba(20, 24, 30, 0.90)",
  },
} as const;

/** How much of the colour is left in a slice of COVER_STEPS steps of filling. */
const COVER_STRENGTH = [0.34, 0.56, 0.78, 1] as const;
const SHADE_TOWARDS = ["#000000", "#ffffff", "#000000"] as const;
const SHADE_SHARE = [0, 0.13, 0.12] as const;
const DIM_STRENGTH = 0.22;

/** `share` of `b` in `a`. */
export function mix(a: string, b: string, share: number): string {
  const first = Number.parseInt(a.slice(1), 16);
  const second = Number.parseInt(b.slice(1), 16);
  let result = 0;
  for (const shift of [16, 8, 0]) {
    const from = (first >> shift) & 255;
    const to = (second >> shift) & 255;
    result |= Math.round(from + (to - from) * share) << shift;
  }
  return `#${result.toString(16).padStart(6, "0")}`;
}

export function makePalette(
  categories: readonly string[],
  theme: Theme,
  background: string = CHROME[theme].background,
): Palette {
  const chrome = { ...CHROME[theme], background, header: background };
  // Tiles of a newer server may have categories that are not in the list: 256 in all.
  const size = 256 * KEYS_PER_CATEGORY;
  const fill = new Array<string>(size);
  const text = new Array<string>(size);
  const dimFill = new Array<string>(size);
  const colors: string[] = [];
  for (let category = 0; category < 256; ++category) {
    const base = categoryColor(categories[category] ?? "other", theme);
    colors.push(base);
    for (let shade = 0; shade < SHADES; ++shade) {
      const shaded = mix(base, SHADE_TOWARDS[shade] ?? base, SHADE_SHARE[shade] ?? 0);
      for (let cover = 0; cover < COVER_STEPS; ++cover) {
        const color = mix(background, shaded, COVER_STRENGTH[cover] ?? 1);
        const key = paintKey(category, shade, cover);
        fill[key] = color;
        text[key] = textOn(color);
        dimFill[key] = mix(background, shaded, (COVER_STRENGTH[cover] ?? 1) * DIM_STRENGTH);
      }
    }
  }
  return {
    theme,
    fill,
    text,
    dimFill,
    dimText: chrome.faintInk,
    category: colors,
    onCategory: colors.map(textOn),
    ...chrome,
  };
}
