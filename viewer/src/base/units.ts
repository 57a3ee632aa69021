/** Numbers for people, in the command line's format (analysis/text/format.cc). */

/** Nanoseconds. */
export type Ns = number & { readonly __unit?: "ns" };

export const NOT_AVAILABLE = "n/a";

interface Scale {
  factor: number;
  unit: string;
}

const DURATIONS: readonly Scale[] = [
  { factor: 1, unit: " ns" },
  { factor: 1e3, unit: " µs" },
  { factor: 1e6, unit: " ms" },
  { factor: 1e9, unit: " s" },
];

const BYTES: readonly Scale[] = [
  { factor: 1, unit: " B" },
  { factor: 1e3, unit: " kB" },
  { factor: 1e6, unit: " MB" },
  { factor: 1e9, unit: " GB" },
  { factor: 1e12, unit: " TB" },
];

function groupThousands(text: string): string {
  const at = text.indexOf(".");
  const whole = at < 0 ? text : text.slice(0, at);
  return whole.replace(/\B(?=(\d{3})+$)/g, ",") + (at < 0 ? "" : text.slice(at));
}

/** Like C's printf, which rounds ties to even, while toFixed() rounds them away from zero. */
function fixedDigits(value: number, decimals: number): string {
  const shifted = Math.abs(value) * 10 ** decimals;
  // Only a multiple of 2^-(decimals + 1) can lie exactly between two decimals.
  const tie = shifted % 1 === 0.5 && Number.isInteger(value * 2 ** (decimals + 1));
  if (!tie) return value.toFixed(decimals);
  const below = Math.floor(shifted);
  const even = below % 2 === 0 ? below : below + 1;
  return (Math.sign(value) * (even / 10 ** decimals)).toFixed(decimals);
}

/** With thousands separators. */
export function formatFixed(value: number, decimals: number): string {
  if (!Number.isFinite(value)) return NOT_AVAILABLE;
  return groupThousands(fixedDigits(value, decimals));
}

/** Three significant digits, in the largest unit in which the value is at least 1. */
function formatScaled(value: number, scales: readonly Scale[]): string {
  if (!Number.isFinite(value)) return NOT_AVAILABLE;
  const size = Math.abs(value);
  for (const [i, scale] of scales.entries()) {
    const next = scales[i + 1];
    // Otherwise 999.6 would be printed as 1000 of this unit.
    if (next !== undefined && size >= next.factor * 0.9995) continue;
    const scaled = value / scale.factor;
    let decimals = 2;
    if (Math.abs(scaled) >= 9.995) decimals = 1;
    if (Math.abs(scaled) >= 99.95 || i === 0) decimals = 0;
    return formatFixed(scaled, decimals) + scale.unit;
  }
  return NOT_AVAILABLE;
}

export function formatDuration(ns: number): string {
  return formatScaled(ns, DURATIONS);
}

/**
 * A point in time, always in ms with microseconds: with three digits, neighbors would look equal.
 */
export function formatMoment(ns: number): string {
  return Number.isFinite(ns) ? `${formatFixed(ns / 1e6, 3)} ms` : NOT_AVAILABLE;
}

export function formatBytes(bytes: number): string {
  return formatScaled(bytes, BYTES);
}

export function formatCount(value: number): string {
  return groupThousands(Math.trunc(value).toString());
}

export function formatReal(value: number): string {
  if (!Number.isFinite(value)) return NOT_AVAILABLE;
  if (value !== 0 && Math.abs(value) < 0.001) return generalDigits(value, 3);
  const text = fixedDigits(value, Math.abs(value) >= 10 ? 1 : 3);
  return text.replace(/(\.\d+?)0+$/, "$1");
}

/** printf's %.Ng for values below 0.001. */
function generalDigits(value: number, digits: number): string {
  const [mantissa = "", exponent = "0"] = value.toExponential(digits - 1).split("e");
  const power = Number(exponent);
  if (power >= -4) return value.toFixed(digits - 1 - power).replace(/0+$/, "");
  const size = String(Math.abs(power)).padStart(2, "0");
  return `${mantissa.replace(/\.?0+$/, "")}e${power < 0 ? "-" : "+"}${size}`;
}

/** A percentage, 0 to 100. 0 % and 100 % are shown only for exact values. */
export function formatPercent(percent: number): string {
  if (percent > 0 && percent < 0.05) return "<0.1 %";
  if (percent < 100 - 1e-9 && percent >= 99.95) return ">99.9 %";
  return `${formatFixed(percent, 1)}${Number.isFinite(percent) ? " %" : ""}`;
}

export function formatShare(part: number, whole: number): string {
  return whole > 0 ? formatPercent((100 * part) / whole) : NOT_AVAILABLE;
}

/** `1.20×` */
export function formatSpeedup(ratio: number): string {
  return `${formatFixed(ratio, 2)}×`;
}

/** All digits, for tooltips: `40,834,114 ns`. */
export function formatExactNs(ns: number): string {
  return `${Number.isInteger(ns) ? formatCount(ns) : formatFixed(ns, 1)} ns`;
}

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`;
}
