import { useCallback } from "react";
import { createStore, useStore } from "./store";

/**
 * The displayed view, as encoded in the URL: `#/{profile}/{view}?agg=…&more=…`. Views keep their
 * state in `params`, so that a link restores it and the back button undoes changes.
 */
export interface Route {
  profile: string;
  view: string;
  /** The aggregation; "default" is omitted in the URL. */
  agg: string;
  params: ReadonlyMap<string, string>;
}

export type RouteParams = Readonly<Record<string, string | number | null | undefined>>;

export const DEFAULT_AGG = "default";

export function parseRoute(hash: string): Route {
  const text = hash.replace(/^#\/?/, "");
  const at = text.indexOf("?");
  const path = (at < 0 ? text : text.slice(0, at)).split("/");
  const params = new Map<string, string>();
  let agg = DEFAULT_AGG;
  for (const [name, value] of new URLSearchParams(at < 0 ? "" : text.slice(at + 1))) {
    if (name === "agg") agg = value || DEFAULT_AGG;
    else params.set(name, value);
  }
  return { profile: decode(path[0] ?? ""), view: decode(path[1] ?? ""), agg, params };
}

export function formatRoute(route: Route): string {
  const parts: string[] = [];
  if (route.agg !== DEFAULT_AGG) parts.push(`agg=${encode(route.agg)}`);
  for (const [name, value] of route.params) parts.push(`${encode(name)}=${encode(value)}`);
  const query = parts.length === 0 ? "" : `?${parts.join("&")}`;
  return `#/${encode(route.profile)}/${encode(route.view)}${query}`;
}

/**
 * Like encodeURIComponent, but keeps characters readable that are safe in a hash: `event=gpu:123`.
 */
function encode(text: string): string {
  return encodeURIComponent(text).replace(/%3A|%2C|%40/g, decodeURIComponent);
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function paramMap(params: RouteParams): Map<string, string> {
  const map = new Map<string, string>();
  for (const [name, value] of Object.entries(params)) {
    if (value !== null && value !== undefined && value !== "") map.set(name, String(value));
  }
  return map;
}

const store = createStore<Route>(parseRoute(window.location.hash));
const reread = () => {
  if (formatRoute(store.get()) !== formatRoute(parseRoute(window.location.hash))) {
    store.set(parseRoute(window.location.hash));
  }
};
window.addEventListener("hashchange", reread);
window.addEventListener("popstate", reread);

export type HistoryMode = "push" | "replace";

function go(route: Route, mode: HistoryMode): void {
  const hash = formatRoute(route);
  if (hash === formatRoute(store.get())) return;
  if (mode === "push") window.history.pushState(null, "", hash);
  else window.history.replaceState(null, "", hash);
  store.set(route);
}

export function currentRoute(): Route {
  return store.get();
}

export function useRoute(): Route {
  return useStore(store);
}

export interface Place {
  profile?: string;
  view?: string;
  agg?: string;
  /** All parameters of the view; previous ones are removed. */
  params?: RouteParams;
}

export function placeRoute(from: Route, place: Place): Route {
  const moved =
    (place.view ?? from.view) !== from.view || (place.profile ?? from.profile) !== from.profile;
  return {
    profile: place.profile ?? from.profile,
    view: place.view ?? from.view,
    agg: place.agg ?? (place.profile && place.profile !== from.profile ? DEFAULT_AGG : from.agg),
    params: place.params ? paramMap(place.params) : moved ? new Map() : from.params,
  };
}

export function navigate(place: Place, mode: HistoryMode = "push"): void {
  go(placeRoute(store.get(), place), mode);
}

/** The URL of a view, for the current profile and aggregation. */
export function href(view: string, params: RouteParams = {}): string {
  return formatRoute(placeRoute(store.get(), { view, params }));
}

/** Changes some of the view's parameters; null removes one. */
export function setParams(changes: RouteParams, mode: HistoryMode = "replace"): void {
  const route = store.get();
  const params = new Map(route.params);
  for (const [name, value] of Object.entries(changes)) {
    if (value === null || value === undefined || value === "") params.delete(name);
    else params.set(name, String(value));
  }
  go({ ...route, params }, mode);
}

/** One parameter of the view; "" if it is missing. */
export function useParam(
  name: string,
): [string, (value: string | number | null, mode?: HistoryMode) => void] {
  const route = useRoute();
  const set = useCallback(
    (value: string | number | null, mode: HistoryMode = "replace") =>
      setParams({ [name]: value }, mode),
    [name],
  );
  return [route.params.get(name) ?? "", set];
}
