export type RouteParams = Readonly<Record<string, string | number>>;

/** An address inside the viewer, written as its own links are. */
export function formatRoute(profile: string, view: string, agg = "", params: RouteParams = {}) {
  const query = Object.entries(agg === "" ? params : { agg, ...params })
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
    .join("&");
  return `#/${encodeURIComponent(profile)}/${view}${query === "" ? "" : `?${query}`}`;
}
