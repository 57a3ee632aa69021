import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import type { Cell, ReportAnswer } from "../src/base/api_types";
import { formatDuration } from "../src/base/units";
import { parseCsv, readSheet } from "./support/files";
import { expect, profilePath, test } from "./support/fixtures";
import { warpsightAsync } from "./support/program";
import type { Viewer } from "./support/viewer";

const PROFILE = "gpt2_bf16";

/** Selects some kernels, in another order than the report's. */
const NARROWED = "search=elementwise&f.No.%20Calls=10..&sort=No.%20Calls&order=asc";

async function openNarrowed(viewer: Viewer) {
  await viewer.open(PROFILE, "reports", {
    params: {
      report: "kernel",
      "t.q": "elementwise",
      "t.f.No. Calls": "10..",
      "t.sort": "No. Calls",
    },
  });
  const answer = await viewer.api<ReportAnswer>(PROFILE, `reports/kernel?limit=all&${NARROWED}`);
  expect(answer.rows.length).toBeGreaterThan(3);
  expect(answer.filtered).toBeLessThan(answer.total);
  return { answer, table: viewer.table(answer.title) };
}

test("CSV has the rows that match, in their order", async ({ viewer }) => {
  const { answer, table } = await openNarrowed(viewer);
  const file = await table.exportAs("CSV");
  expect(file.name).toMatch(/gpt2_bf16.*\.csv$/);
  const [header, ...rows] = parseCsv(file.bytes.toString("utf8"));
  expect(header).toEqual(answer.columns.map((column) => column.name));
  expect(rows.length).toBe(answer.rows.length);
  // CSV files have fractions with one decimal, like the tables.
  const asWritten = (cell: Cell) =>
    typeof cell === "number" && !Number.isInteger(cell) ? cell.toFixed(1) : cell;
  for (const [i, row] of rows.entries())
    sameCells(row.map(fromText), (answer.rows[i] ?? []).map(asWritten));
});

test("CSV of a whole report is the command line's", async ({ viewer }) => {
  await viewer.open(PROFILE, "op-types");
  const file = await viewer.table("Op types").exportAs("CSV");
  const cli = await warpsightAsync(
    "report",
    profilePath(PROFILE),
    "--report",
    "op_type",
    "--format",
    "csv",
  );
  expect(file.bytes.toString("utf8")).toBe(cli);
});

test("JSON has the matching rows, and a whole report equals the command line's", async ({
  viewer,
}) => {
  const { answer, table } = await openNarrowed(viewer);
  const file = await table.exportAs("JSON");
  const json = JSON.parse(file.bytes.toString("utf8")) as { rows: Record<string, Cell>[] };
  expect(json.rows.length).toBe(answer.rows.length);
  for (const [i, row] of json.rows.entries()) {
    expect(Object.keys(row)).toEqual(answer.columns.map((column) => column.name));
    sameCells(Object.values(row), answer.rows[i] ?? []);
  }
  await viewer.open(PROFILE, "op-types");
  const whole = await viewer.table("Op types").exportAs("JSON");
  const cli = await warpsightAsync(
    "report",
    profilePath(PROFILE),
    "--report",
    "op_type",
    "--format",
    "json",
  );
  expect(JSON.parse(whole.bytes.toString("utf8"))).toEqual(JSON.parse(cli));
});

test("Excel has the profile's name on top and numbers as numbers", async ({ viewer }) => {
  const { answer, table } = await openNarrowed(viewer);
  const file = await table.exportAs("Excel");
  expect(file.name).toMatch(/\.xlsx$/);
  const sheet = readSheet(file.bytes);
  expect(sheet[0]?.[0]).toBe(PROFILE);
  expect(sheet[1]?.[0]).toContain(answer.title);
  expect(sheet[3]).toEqual(answer.columns.map((column) => column.name));
  const rows = sheet.slice(4);
  expect(rows.length).toBe(answer.rows.length);
  for (const [i, row] of rows.entries()) {
    const cells = answer.columns.map((_, c) => row[c] ?? null);
    sameCells(cells, answer.rows[i] ?? []);
    for (const [c, column] of answer.columns.entries())
      if (column.type === "duration" && row[c] !== undefined) expect(typeof row[c]).toBe("number");
  }
});

test("PDF has the profile's name on top and every row", async ({ viewer }, info) => {
  await viewer.open(PROFILE, "op-types");
  const answer = await viewer.api<ReportAnswer>(PROFILE, "reports/op_type?limit=all");
  const file = await viewer.table("Op types").exportAs("PDF");
  expect(file.bytes.subarray(0, 5).toString("latin1")).toBe("%PDF-");
  const path = info.outputPath("op_types.pdf");
  writeFileSync(path, file.bytes);
  let text = "";
  try {
    text = execFileSync("pdftotext", ["-layout", path, "-"], { encoding: "utf8" });
  } catch {
    test.skip(true, "needs pdftotext (poppler-utils) to read the text of the PDF");
  }
  expect(text.trim().split("\n")[0]).toContain(PROFILE);
  const time = answer.columns.findIndex(({ name }) => name === "Total GPU Time (ns)");
  for (const row of answer.rows) {
    expect(text).toContain(String(row[0]).slice(0, 12));
    expect(text).toContain(formatDuration(Number(row[time])));
  }
});

test.describe("the clipboard", () => {
  test.use({ permissions: ["clipboard-read", "clipboard-write"] });
  test("takes the rows with the profile's name on top", async ({ viewer }) => {
    const { answer, table } = await openNarrowed(viewer);
    await table.frame.getByRole("button", { name: /^Export / }).click();
    await viewer.page.getByRole("menuitem", { name: "Copy to the clipboard" }).click();
    await expect(table.frame).toContainText(`${answer.rows.length} rows copied`);
    const text = await viewer.page.evaluate(() => navigator.clipboard.readText());
    const [name, header, ...rows] = text.trimEnd().split("\n");
    expect(name).toBe(PROFILE);
    expect(header?.split("\t")).toEqual(answer.columns.map((column) => column.name));
    expect(rows.length).toBe(answer.rows.length);
  });
});

test("groups of ops and results of SQL are exported too", async ({ viewer }) => {
  await viewer.open(PROFILE, "group-ops");
  const { page } = viewer;
  await page.getByRole("button", { name: "Export groups" }).click();
  const groups = page.waitForEvent("download");
  await page.getByRole("menuitem", { name: "CSV", exact: true }).click();
  expect((await groups).suggestedFilename()).toMatch(/\.csv$/);

  await viewer.open(PROFILE, "sql", {
    params: { q: "SELECT family, count(*) AS kernels FROM kernels GROUP BY 1 ORDER BY 2 DESC, 1" },
  });
  const table = viewer.table("Result");
  const file = await table.exportAs("Excel");
  const sheet = readSheet(file.bytes);
  const header = sheet.findIndex((row) => row?.[0] === "family");
  const shown = await table.values("kernels");
  expect(sheet.slice(header + 1, header + 1 + shown.length).map((row) => row[1])).toEqual(shown);
  expect(sheet[0]?.[0]).toBe(PROFILE);
});

function fromText(text: string): Cell {
  return text === "" ? null : text;
}

/** Compares values, since files write yes and no, and numbers as text. */
function sameCells(cells: readonly Cell[], expected: readonly Cell[]): void {
  const plain = (cell: Cell) => {
    if (cell === null || cell === "") return null;
    if (typeof cell === "boolean") return Number(cell);
    if (cell === "yes" || cell === "no") return Number(cell === "yes");
    const number = Number(cell);
    if (Number.isFinite(number)) return Number(number.toPrecision(12));
    return String(cell).replace(/\s+/g, " ").trim();
  };
  expect(cells.map(plain)).toEqual(expected.map(plain));
}
