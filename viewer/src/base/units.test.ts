import { describe, expect, it } from "vitest";
import {
  formatBytes,
  formatCount,
  formatDuration,
  formatExactNs,
  formatFixed,
  formatMoment,
  formatPercent,
  formatReal,
  formatShare,
  formatSpeedup,
  plural,
} from "./units";

describe("durations", () => {
  it.each([
    [0, "0 ns"],
    [1, "1 ns"],
    [999, "999 ns"],
    [999.4, "999 ns"],
    [999.6, "1.00 µs"],
    [1000, "1.00 µs"],
    [9994, "9.99 µs"],
    [9995, "10.0 µs"],
    [57179, "57.2 µs"],
    [99949, "99.9 µs"],
    [99950, "100 µs"],
    [999_499, "999 µs"],
    [999_500, "1.00 ms"],
    [40_834_114, "40.8 ms"],
    [163_336_459, "163 ms"],
    [1_500_000_000, "1.50 s"],
    [123_456_000_000_000, "123,456 s"],
    [-40_834_114, "-40.8 ms"],
  ])("%d is %s", (ns, text) => expect(formatDuration(ns)).toBe(text));

  it("shows missing values", () => expect(formatDuration(Number.NaN)).toBe("n/a"));

  it("distinguishes neighboring points in time", () => {
    expect(formatMoment(1_249_012_345)).toBe("1,249.012 ms");
    expect(formatMoment(736)).toBe("0.001 ms");
  });
  it("keeps all digits for tooltips", () => expect(formatExactNs(40834114)).toBe("40,834,114 ns"));
});

describe("ties are rounded to even, as C does", () => {
  it.each([
    [0.5, 0, "0"],
    [1.5, 0, "2"],
    [2.5, 0, "2"],
    [-2.5, 0, "-2"],
    [0.25, 1, "0.2"],
    [0.75, 1, "0.8"],
    [0.125, 2, "0.12"],
    [0.375, 2, "0.38"],
    [1.005, 2, "1.00"],
    [8.345, 2, "8.35"],
    [1234567.5, 0, "1,234,568"],
  ])("%d to %d digits is %s", (value, digits, text) =>
    expect(formatFixed(value, digits)).toBe(text),
  );
});

describe("others", () => {
  it.each([
    [0, "0"],
    [999, "999"],
    [1000, "1,000"],
    [-1234567, "-1,234,567"],
  ])("count %d is %s", (value, text) => expect(formatCount(value)).toBe(text));

  it.each([
    [65600, "65.6 kB"],
    [150_000_000_000, "150 GB"],
    [12, "12 B"],
  ])("%d bytes are %s", (value, text) => expect(formatBytes(value)).toBe(text));

  it.each([
    [0, "0.0"],
    [1, "1.0"],
    [578.4699, "578.5"],
    [1.2345, "1.234"],
    [1.5, "1.5"],
    [0.0005, "0.0005"],
    [0.00001234, "1.23e-05"],
  ])("real %d is %s", (value, text) => expect(formatReal(value)).toBe(text));

  it.each([
    [0, "0.0 %"],
    [0.04, "<0.1 %"],
    [65.19, "65.2 %"],
    [99.96, ">99.9 %"],
    [100, "100.0 %"],
  ])("%d per cent are %s", (value, text) => expect(formatPercent(value)).toBe(text));

  it("shares of 0 are not available", () => {
    expect(formatShare(1, 0)).toBe("n/a");
    expect(formatShare(1, 3)).toBe("33.3 %");
  });

  it("speed-ups and plurals", () => {
    expect(formatSpeedup(1.199)).toBe("1.20×");
    expect(plural(1, "iteration")).toBe("1 iteration");
    expect(plural(2148, "kernel")).toBe("2,148 kernels");
  });
});
