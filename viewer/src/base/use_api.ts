import { useCallback, useEffect, useMemo, useRef, useSyncExternalStore } from "react";
import { type ApiError, getSource, isAbort, type Params, queryString, toApiError } from "./source";

/**
 * Responses by URL. A profile's responses never change while the server runs, so they are cached. A
 * request is aborted if nothing waits for it any longer.
 */
interface Entry {
  data: unknown;
  error: ApiError | null;
  loading: boolean;
  controller: AbortController | null;
  watchers: Set<() => void>;
  snapshot: Snapshot;
}

interface Snapshot {
  data: unknown;
  error: ApiError | null;
  loading: boolean;
}

const KEPT = 300;
const EMPTY: Snapshot = { data: undefined, error: null, loading: false };
const entries = new Map<string, Entry>();

function entryOf(key: string): Entry {
  const found = entries.get(key);
  if (found) return found;
  const entry: Entry = {
    data: undefined,
    error: null,
    loading: false,
    controller: null,
    watchers: new Set(),
    snapshot: { data: undefined, error: null, loading: true },
  };
  entries.set(key, entry);
  for (const [name, old] of entries) {
    if (entries.size <= KEPT) break;
    if (old.watchers.size === 0 && old !== entry) entries.delete(name);
  }
  return entry;
}

function publish(entry: Entry): void {
  entry.snapshot = { data: entry.data, error: entry.error, loading: entry.loading };
  for (const watcher of [...entry.watchers]) watcher();
}

function load(entry: Entry, path: string, params: Params | undefined): void {
  entry.controller?.abort();
  const controller = new AbortController();
  entry.controller = controller;
  entry.loading = true;
  publish(entry);
  getSource()
    .json<unknown>(path, params, controller.signal)
    .then(
      (data) => {
        entry.data = data;
        entry.error = null;
      },
      (error: unknown) => {
        if (!isAbort(error)) entry.error = toApiError(error);
      },
    )
    .finally(() => {
      if (entry.controller !== controller) return;
      entry.controller = null;
      entry.loading = false;
      publish(entry);
    });
}

function release(key: string, entry: Entry, watcher: () => void): void {
  entry.watchers.delete(watcher);
  if (entry.watchers.size > 0) return;
  // Strict mode and quick switches subscribe again immediately.
  setTimeout(() => {
    if (entry.watchers.size > 0 || entries.get(key) !== entry) return;
    if (entry.controller !== null) {
      entry.controller.abort();
      entry.controller = null;
      entries.delete(key);
    } else if (entry.error !== null) {
      entries.delete(key);
    }
  }, 0);
}

/** Drops cached responses under this path, so that they are requested again. */
export function forget(pathPrefix: string): void {
  for (const key of [...entries.keys()]) {
    if (key.startsWith(pathPrefix) && entries.get(key)?.watchers.size === 0) entries.delete(key);
  }
}

/** Reloads data that is currently displayed; all components that show it get the new response. */
export function refreshApi(path: string): void {
  const entry = entries.get(path);
  if (entry && entry.watchers.size > 0) load(entry, path, undefined);
  else entries.delete(path);
}

export interface ApiState<T> {
  data: T | undefined;
  error: ApiError | null;
  /** A request is running; `data` may contain the previous response. */
  loading: boolean;
  refresh: () => void;
}

export interface ApiOptions {
  /** Request again when a component appears, and show the cached response until then. */
  fresh?: boolean;
  /** While another URL loads, keep showing the previous response. */
  keepPrevious?: boolean;
}

/** The server's response; a null path sends no request. */
export function useApi<T>(
  path: string | null,
  params?: Params,
  options: ApiOptions = {},
): ApiState<T> {
  const key = path === null ? "" : path + queryString(params);
  const fresh = options.fresh === true;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key represents the parameters
  const subscribe = useCallback(
    (watcher: () => void) => {
      if (path === null) return () => undefined;
      const entry = entryOf(key);
      entry.watchers.add(watcher);
      const idle = entry.controller === null;
      if (idle && (fresh || (entry.data === undefined && entry.error === null))) {
        load(entry, path, params);
      }
      return () => release(key, entry, watcher);
    },
    [key, path, fresh],
  );
  const snapshot = useSyncExternalStore(subscribe, () =>
    path === null ? EMPTY : entryOf(key).snapshot,
  );
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key represents the parameters
  const refresh = useCallback(() => {
    if (path !== null) load(entryOf(key), path, params);
  }, [key, path]);

  const previous = useRef<unknown>(undefined);
  useEffect(() => {
    if (snapshot.data !== undefined) previous.current = snapshot.data;
  }, [snapshot]);
  const kept =
    options.keepPrevious && snapshot.data === undefined && snapshot.error === null
      ? previous.current
      : snapshot.data;

  return useMemo(
    () => ({
      data: kept as T | undefined,
      error: snapshot.error,
      loading: snapshot.loading,
      refresh,
    }),
    [kept, snapshot, refresh],
  );
}
