import { inflateRawSync } from "node:zlib";

/** Cells of a CSV file (RFC 4180). */
export function parseCsv(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  for (const match of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/g)) {
    if (match.index === text.length && row.length === 0) break;
    row.push(match[1] === undefined ? (match[2] ?? "") : match[1].replaceAll('""', '"'));
    if (match[3] === ",") continue;
    rows.push(row);
    row = [];
    if (match.index + match[0].length === text.length) break;
  }
  return rows;
}

/** The files in a ZIP archive, by the directory at its end. */
export function unzip(bytes: Buffer): Map<string, Buffer> {
  const end = bytes.lastIndexOf(Buffer.from("PK\u0005\u0006", "latin1"));
  if (end < 0) throw new Error("not a ZIP archive");
  const files = new Map<string, Buffer>();
  let at = bytes.readUInt32LE(end + 16);
  for (let i = bytes.readUInt16LE(end + 10); i > 0; i -= 1) {
    const method = bytes.readUInt16LE(at + 10);
    const size = bytes.readUInt32LE(at + 20);
    const nameLength = bytes.readUInt16LE(at + 28);
    const name = bytes.toString("utf8", at + 46, at + 46 + nameLength);
    const local = bytes.readUInt32LE(at + 42);
    const begin = local + 30 + bytes.readUInt16LE(local + 26) + bytes.readUInt16LE(local + 28);
    const data = bytes.subarray(begin, begin + size);
    files.set(name, method === 0 ? data : inflateRawSync(data));
    at += 46 + nameLength + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32);
  }
  return files;
}

type SheetCell = string | number | undefined;

/** The first sheet of a workbook, as rows of cells; missing ones are undefined. */
export function readSheet(bytes: Buffer): SheetCell[][] {
  const files = unzip(bytes);
  const text = (name: string) => files.get(name)?.toString("utf8") ?? "";
  const shared = [...text("xl/sharedStrings.xml").matchAll(/<si>(.*?)<\/si>/gs)].map(textOf);
  const rows: SheetCell[][] = [];
  for (const row of text("xl/worksheets/sheet1.xml").matchAll(
    /<row r="(\d+)".*?(?:\/>|<\/row>)/gs,
  )) {
    const cells: SheetCell[] = [];
    for (const cell of row[0].matchAll(/<c r="([A-Z]+)\d+"([^>]*)>(.*?)<\/c>/gs)) {
      const value = /<v>(.*?)<\/v>/s.exec(cell[3] ?? "")?.[1];
      const type = /t="(\w+)"/.exec(cell[2] ?? "")?.[1];
      cells[columnIndex(cell[1] ?? "A")] =
        type === "s"
          ? shared[Number(value)]
          : type === "inlineStr"
            ? textOf([cell[0], cell[3] ?? ""])
            : value === undefined
              ? undefined
              : Number(value);
    }
    rows[Number(row[1]) - 1] = cells;
  }
  return rows;
}

function columnIndex(letters: string): number {
  return [...letters].reduce((sum, c) => sum * 26 + c.charCodeAt(0) - 64, 0) - 1;
}

const ENTITIES: Record<string, string> = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'" };

function textOf(match: ArrayLike<string | undefined>): string {
  const parts = [...(match[1] ?? "").matchAll(/<t[^>]*>(.*?)<\/t>/gs)].map((part) => part[1]);
  return parts.join("").replace(/&(\w+);/g, (all, name: string) => ENTITIES[name] ?? all);
}
