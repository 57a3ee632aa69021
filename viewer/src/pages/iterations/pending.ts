const KEY = "warpsight.pending";

/** Remembers the aggregation requested in this tab, so that it is opened even after a reload. */
export function setPending(profile: string, id: string): void {
  try {
    sessionStorage.setItem(KEY, `${profile}/${id}`);
  } catch {
    // Without storage, a reload loses it; the aggregation is still in the menu.
  }
}

/** Whether this aggregation was pending. It is then no longer pending. */
export function takePending(profile: string, id: string): boolean {
  try {
    if (sessionStorage.getItem(KEY) !== `${profile}/${id}`) return false;
    sessionStorage.removeItem(KEY);
    return true;
  } catch {
    return false;
  }
}
