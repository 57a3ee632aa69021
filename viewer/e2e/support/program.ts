import { execFile, execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

const VIEWER = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../..");
export const ROOT = path.dirname(VIEWER);
export const RESULTS = path.join(VIEWER, "test-results");
export const TRACES = path.join(ROOT, "tests/data/h200");

/** A trace that contains only GPU work. */
export const WITHOUT_OPS = "gpu_trace";

/**
 * The bundled traces by name. Of the two files of a JAX profile, the XPlane comes last and is used.
 */
export const TRACE_OF = new Map<string, string>([
  ...readdirSync(TRACES)
    .sort()
    .map((file) => [file.replace(/\..*$/, ""), path.join(TRACES, file)] as const),
  [WITHOUT_OPS, path.join(ROOT, `tests/fuzz/seeds/nvprof/${WITHOUT_OPS}.csv`)],
]);

/** The program under test. */
export const PROGRAM = path.resolve(
  VIEWER,
  process.env.WARPSIGHT ?? path.join(ROOT, "build/warpsight"),
);

/** A front end to test instead of the one in the program: the result of `npm run build`. */
export const SITE = process.env.WARPSIGHT_SITE && path.resolve(VIEWER, process.env.WARPSIGHT_SITE);

const LIMITS = { maxBuffer: 1 << 28, encoding: "utf8" } as const;

/** What the command line prints. */
export function warpsight(...words: string[]): string {
  return execFileSync(PROGRAM, words, { ...LIMITS, stdio: ["ignore", "pipe", "pipe"] });
}

/** The same, without blocking the page. */
export function warpsightAsync(...words: string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(PROGRAM, words, LIMITS, (error, stdout, stderr) => {
      if (error) reject(new Error(`warpsight ${words.join(" ")}: ${stderr}`));
      else resolve(stdout);
    });
  });
}

export type Row = Record<string, string | number | boolean | null>;

/** A report of the command line, with its rows as objects by column. */
export async function reportRows(profile: string, report: string, ...more: string[]) {
  const text = await warpsightAsync(
    "report",
    profile,
    "--report",
    report,
    "--format",
    "json",
    ...more,
  );
  return (JSON.parse(text) as { rows: Row[] }).rows;
}
