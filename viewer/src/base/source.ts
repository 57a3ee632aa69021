/** Where the viewer's data comes from: a running `warpsight view`, or the page itself. */

export type ParamValue = string | number | boolean | null | undefined;
/** Null, undefined and "" mean "not given". */
export type Params = Readonly<Record<string, ParamValue>>;

export interface PostOptions {
  params?: Params;
  contentType?: string;
  signal?: AbortSignal;
}

export interface Source {
  /** True when there is no server: no SQL, no other iterations, no exports made by the server. */
  readonly offline: boolean;
  json<T>(path: string, params?: Params, signal?: AbortSignal): Promise<T>;
  bytes(path: string, params?: Params, signal?: AbortSignal): Promise<ArrayBuffer>;
  post<T>(path: string, body: string, options?: PostOptions): Promise<T>;
  /** As post, for answers that are files. */
  postBytes(path: string, body: string, options?: PostOptions): Promise<ArrayBuffer>;
  remove(path: string, signal?: AbortSignal): Promise<void>;
  /** Address of a file made by the server, or null where there is none. */
  downloadUrl(path: string, params?: Params): string | null;
}

/** Codes beyond those of the server: `network`, `offline` (needs a server), `not-embedded`. */
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
