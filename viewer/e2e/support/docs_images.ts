import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { reduceColors } from "./png";
import { ROOT } from "./program";

/** Screenshots that the documentation uses, by name. */
const KEPT: Readonly<Record<string, string>> = {
  dashboard_light: "dashboard",
  dashboard_dark: "dashboard_dark",
  timeline_event_light: "timeline",
  ops_light: "ops",
  advice_light: "advice",
  iterations_light: "iterations",
  roofline_light: "roofline",
};

/** Updates the image of the documentation if that is requested. */
export function keepForDocs(name: string, file: string): void {
  const kept = KEPT[name];
  if (kept === undefined || process.env.WARPSIGHT_UPDATE_SCREENSHOTS !== "1") return;
  writeFileSync(path.join(ROOT, "docs/images", `${kept}.png`), reduceColors(readFileSync(file)));
}
