import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { reduceColors } from "./png";
import { ROOT } from "./program";

/** Screenshots that the documentation shows, by name. */
const KEPT: Readonly<Record<string, string>> = {
  dashboard_light: "dashboard",
  dashboard_dark: "dashboard_dark",
  timeline_event_light: "timeline",
  ops_light: "ops",
  advice_light: "advice",
  iterations_light: "iterations",
  roofline_light: "roofline",
};

/** Renews the documentation's image when that is asked for. */
export function keepForDocs(name: string, file: string): void {
  const kept = KEPT[name];
  if (kept === undefined || process.env.WARPSIGHT_UPDATE_SCREENSHOTS !== "1") return;
  writeFileSync(path.join(ROOT, "docs/images", `${kept}.png`), reduceColors(readFileSync(file)));
}
