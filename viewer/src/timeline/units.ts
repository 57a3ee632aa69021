// Types that keep the two kinds of numbers of the timeline apart.

declare const timeNsBrand: unique symbol;
declare const cssPixelsBrand: unique symbol;

/** Nanoseconds from the trace's start. */
export type TimeNs = number & { readonly [timeNsBrand]: true };

/** Pixels of the page, independent of the screen's pixel density. */
export type CssPixels = number & { readonly [cssPixelsBrand]: true };

export function timeNs(value: number): TimeNs {
  return value as TimeNs;
}

export function cssPixels(value: number): CssPixels {
  return value as CssPixels;
}
