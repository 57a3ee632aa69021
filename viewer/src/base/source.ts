/** The source of the viewer's data: a running `warpsight view`, or the page itself. */

export type ParamValue = string | number | boolean | null | undefined;
/** Null, undefined and "" mean "missing". */
export type Params = Readonly<Record<string, ParamValue>>;

export interface PostOptions {
  params?: Params;
  contentType?: string;
  signal?: AbortSignal;
}

export interface Source {
  /**
   * Whether there is no server: then there is no SQL, no other iterations, and no exports by the
   * server.
   */
  readonly offline: boolean;
  json<T>(path: string, params?: Params, signal?: AbortSignal): Promise<T>;
  bytes(path: string, params?: Params, signal?: AbortSignal): Promise<ArrayBuffer>;
  post<T>(path: string, body: string, options?: PostOptions): Promise<T>;
  /** Like post(), for responses that are files. */
  postBytes(path: string, body: string, options?: PostOptions): Promise<ArrayBuffer>;
  remove(path: string, signal?: AbortSignal): Promise<void>;
  /** The URL of a file created by the server; null if there is none. */
  downloadUrl(path: string, params?: Params): string | null;
}

/** In addition to the server's codes: `network`, `offline` (needs a server), `not-embedded`. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.name = "ApiError";
    this.status = status;
    this.code = code;
  }
}

export function isAbort(error: unknown): boolean {
  return error instanceof DOMException && error.name === "AbortError";
}

export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  return new ApiError(0, "internal", error instanceof Error ? error.message : String(error));
}

/** `?a=1&b=x`, or "" without parameters. */
export function queryString(params: Params = {}): string {
  const parts: string[] = [];
  for (const [name, value] of Object.entries(params)) {
    if (value === null || value === undefined || value === "") continue;
    parts.push(`${encodeURIComponent(name)}=${encodeURIComponent(String(value))}`);
  }
  return parts.length === 0 ? "" : `?${parts.join("&")}`;
}

let current: Source | null = null;

export function setSource(source: Source): void {
  current = source;
}

export function getSource(): Source {
  if (current === null) throw new Error("no source set");
  return current;
}
