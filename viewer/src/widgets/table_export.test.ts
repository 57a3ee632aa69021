import { describe, expect, it } from "vitest";
import type { Column } from "../base/api";
import { delimited, looksLikeFormula } from "./table_export";

const columns = ["Name", "Value"].map((name) => ({ name }) as Column);

describe("looksLikeFormula", () => {
  it.each([
    "=cmd|' /C calc'!A0",
    "@SUM(1)",
    "+1+1",
    "-1+1",
    " =1+1",
    '"=1',
    "'=1",
    "\t=1",
    "＝1+1",
  ])("finds %j", (text) => expect(looksLikeFormula(text)).toBe(true));
  it.each(["", "-", "-5", "+1.5e-3", "gemm", "a=b", "<=", "void f()", "  ", "'quoted'"])(
    "leaves %j",
    (text) => expect(looksLikeFormula(text)).toBe(false),
  );
});

describe("delimited", () => {
  it("marks formulas as text and keeps numbers", () => {
    const rows = [
      ["=1+1,2", -5],
      ["gemm", 1],
    ];
    expect(delimited({ columns, rows }, ",")).toBe('Name,Value\n"\'=1+1,2",-5\ngemm,1\n');
  });
});
