export type RouteParams = Readonly<Record<string, string | number>>;

/** A URL inside the viewer, in the form of its own links. */
export function formatRoute(profile: string, view: string, agg = "", params: RouteParams = {}) {
  const query = Object.entries(agg === "" ? params : { agg, ...params })
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
    .join("&");
  return `#/${encodeURIComponent(profile)}/${view}${query === "" ? "" : `?${query}`}`;
}
