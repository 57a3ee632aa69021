import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { PROGRAM, TRACES, warpsight } from "./program";

/** Imports the bundled traces once; all workers open the same profiles. */
export default function importProfiles(): () => void {
  if (!existsSync(PROGRAM)) throw new Error(`no program at ${PROGRAM}: set WARPSIGHT`);
  const folder = mkdtempSync(path.join(tmpdir(), "warpsight-e2e-"));
  for (const file of readdirSync(TRACES)) {
    const name = file.replace(/\..*$/, "");
    warpsight("import", path.join(TRACES, file), "-o", path.join(folder, `${name}.warpsight`));
  }
  process.env.WARPSIGHT_E2E_PROFILES = folder;
  return () => rmSync(folder, { recursive: true, force: true });
}
