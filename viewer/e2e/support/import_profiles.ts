import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { PROGRAM, TRACE_OF, warpsight } from "./program";

/** Imports the bundled traces once; all workers open the same profiles. */
export default function importProfiles(): () => void {
  if (!existsSync(PROGRAM)) throw new Error(`no program at ${PROGRAM}: set WARPSIGHT`);
  const folder = mkdtempSync(path.join(tmpdir(), "warpsight-e2e-"));
  for (const [name, trace] of TRACE_OF) {
    warpsight("import", trace, "-o", path.join(folder, `${name}.warpsight`));
  }
  process.env.WARPSIGHT_E2E_PROFILES = folder;
  return () => rmSync(folder, { recursive: true, force: true });
}
