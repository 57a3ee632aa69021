const KEY = "warpsight.pending";

/** The aggregation that this tab asked for, so that it is opened even after a reload. */
export function setPending(profile: string, id: string): void {
  try {
    sessionStorage.setItem(KEY, `${profile}/${id}`);
  } catch {
    // Without storage a reload forgets it; the aggregation is still in the menu.
  }
}

/** Whether it was this one; asking forgets it. */
export function takePending(profile: string, id: string): boolean {
  try {
    if (sessionStorage.getItem(KEY) !== `${profile}/${id}`) return false;
    sessionStorage.removeItem(KEY);
    return true;
  } catch {
    return false;
  }
}
