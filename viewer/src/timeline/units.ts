// Two kinds of numbers meet in every line of a timeline; the brands keep them apart.

declare const timeNsBrand: unique symbol;
declare const cssPixelsBrand: unique symbol;

/** Nanoseconds from the trace's start. */
export type TimeNs = number & { readonly [timeNsBrand]: true };

/** Pixels of the page, whatever the screen's density. */
export type CssPixels = number & { readonly [cssPixelsBrand]: true };

export function timeNs(value: number): TimeNs {
  return value as TimeNs;
}

export function cssPixels(value: number): CssPixels {
  return value as CssPixels;
}
