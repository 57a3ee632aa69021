// The colors of the canvas. Categories have the colors of base/colors; slices are opaque mixtures
// of these with the background.

import { categoryColor, contrast, textOn } from "../base/colors";
import type { Theme } from "../base/theme";
import { COVER_STEPS, KEYS_PER_CATEGORY, paintKey, SHADES } from "./tile_paint";

export interface Palette {
  readonly theme: Theme;
  /** By paint index: the pixel value in an ImageData. */
  readonly packed: Uint32Array;
  /** The same for slices that do not match the search. */
  readonly packedDim: Uint32Array;
  /** By paint index: the color of labels. */
  readonly text: readonly string[];
  readonly dimText: string;
  /** By category. */
  readonly category: readonly string[];
  readonly onCategory: readonly string[];
  readonly background: string;
  readonly groupBand: string;
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
  readonly onAccent: string;
  /** Around arrows, so that they are distinguishable from slices. */
  readonly halo: string;
}

/** The same colors as in base/style.css. */
const CHROME = {
  light: {
    background: "#ffffff",
    groupBand: "#f7f8fa",
    line: "#e1e4e9",
    grid: "#f0f2f5",
    iterationLine: "rgba(70, 84, 104, 0.28)",
    ink: "#171b22",
    faintInk: "#545c69",
    wash: "rgba(128, 136, 150, 0.22)",
    accent: "#2456c7",
    accentFill: "rgba(36, 86, 199, 0.10)",
    onAccent: "#ffffff",
    match: "#d0106a",
    arrow: "#2456c7",
    forwardArrow: "#8a2be2",
    halo: "rgba(255, 255, 255, 0.85)",
  },
  dark: {
    background: "#181c23",
    groupBand: "#1d222a",
    line: "#2a303a",
    grid: "#1f242c",
    iterationLine: "rgba(170, 185, 208, 0.26)",
    ink: "#e7eaef",
    faintInk: "#a9b1bd",
    wash: "rgba(8, 10, 13, 0.50)",
    accent: "#8bb2ff",
    accentFill: "rgba(139, 178, 255, 0.16)",
    onAccent: "#0e1522",
    match: "#ff6fb1",
    arrow: "#9fc0ff",
    forwardArrow: "#cfa6ff",
    halo: "rgba(16, 19, 24, 0.85)",
  },
} as const;

/** The share of the color in a slice, for each of the COVER_STEPS degrees of filling. */
const COVER_STRENGTH = [0.34, 0.56, 0.78, 1] as const;
const SHADE_TOWARDS = ["#000000", "#ffffff", "#000000"] as const;
const SHADE_SHARE = [0, 0.1, 0.12] as const;
const DIM_STRENGTH = 0.22;

/** `a` with a share of `b`. */
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

/** `#rrggbb` as an opaque pixel; ImageData is little-endian on all platforms of browsers. */
export function pack(color: string): number {
  const value = Number.parseInt(color.slice(1), 16);
  return (0xff000000 | ((value & 0xff) << 16) | (value & 0xff00) | (value >> 16)) >>> 0;
}

function shadesOf(base: string): string[] {
  return SHADE_TOWARDS.map((towards, shade) => mix(base, towards, SHADE_SHARE[shade] ?? 0));
}

/** One text color for all shades of a color: the one that is more readable on the worst of them. */
function inkFor(shades: readonly string[]): string {
  const inks = ["#101418", "#ffffff"] as const;
  const worst = inks.map((ink) => Math.min(...shades.map((shade) => contrast(ink, shade))));
  return (worst[0] ?? 0) >= (worst[1] ?? 0) ? inks[0] : inks[1];
}

export function makePalette(
  categories: readonly string[],
  theme: Theme,
  background: string = CHROME[theme].background,
): Palette {
  const chrome = { ...CHROME[theme], background };
  const size = categories.length * KEYS_PER_CATEGORY;
  const packed = new Uint32Array(size);
  const packedDim = new Uint32Array(size);
  const text = new Array<string>(size);
  const colors: string[] = [];
  for (const [category, id] of categories.entries()) {
    const base = categoryColor(id, theme);
    colors.push(base);
    const shades = shadesOf(base);
    const ink = inkFor(shades);
    for (let shade = 0; shade < SHADES; ++shade) {
      const shaded = shades[shade] ?? base;
      for (let cover = 0; cover < COVER_STEPS; ++cover) {
        const color = mix(background, shaded, COVER_STRENGTH[cover] ?? 1);
        const key = paintKey(category, shade, cover);
        packed[key] = pack(color);
        text[key] = cover === COVER_STEPS - 1 ? ink : textOn(color);
        const dim = mix(background, shaded, (COVER_STRENGTH[cover] ?? 1) * DIM_STRENGTH);
        packedDim[key] = pack(dim);
      }
    }
  }
  return {
    theme,
    packed,
    packedDim,
    text,
    dimText: chrome.faintInk,
    category: colors,
    onCategory: colors.map((color) => textOn(color)),
    ...chrome,
  };
}
