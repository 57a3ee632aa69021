import { pause, reportConnected, reportTrouble } from "./connection";
import { busy } from "./idle";
import {
  ApiError,
  isAbort,
  type Params,
  type PostOptions,
  queryString,
  type Source,
} from "./source";

const FIRST_DELAY_MS = 250;
const MAX_DELAY_MS = 5000;
const LOADING_MS = 400;
/** How often a request to an overloaded server is tried before the error is shown. */
const MAX_OVERLOADED = 6;

export interface HttpSourceOptions {
  fetch?: typeof fetch;
  /** Waits before the next try. */
  pause?: (ms: number, signal?: AbortSignal) => Promise<void>;
}

/** Sends requests to `warpsight view`. If the server is not reachable, retries without limit. */
export class HttpSource implements Source {
  readonly offline = false;
  private readonly fetch: typeof fetch;
  private readonly pause: (ms: number, signal?: AbortSignal) => Promise<void>;

  constructor(options: HttpSourceOptions = {}) {
    this.fetch = options.fetch ?? ((input, init) => window.fetch(input, init));
    this.pause = options.pause ?? pause;
  }

  json<T>(path: string, params?: Params, signal?: AbortSignal): Promise<T> {
    return this.request(path, params, { signal }, (answer) => answer.json() as Promise<T>);
  }

  bytes(path: string, params?: Params, signal?: AbortSignal): Promise<ArrayBuffer> {
    return this.request(path, params, { signal }, (answer) => answer.arrayBuffer());
  }

  post<T>(path: string, body: string, options: PostOptions = {}): Promise<T> {
    return this.request(
      path,
      options.params,
      postInit(body, options),
      (answer) => answer.json() as Promise<T>,
    );
  }

  postBytes(path: string, body: string, options: PostOptions = {}): Promise<ArrayBuffer> {
    return this.request(path, options.params, postInit(body, options), (answer) =>
      answer.arrayBuffer(),
    );
  }

  remove(path: string, signal?: AbortSignal): Promise<void> {
    return this.request(path, undefined, { method: "DELETE", signal }, async () => undefined);
  }

  downloadUrl(path: string, params?: Params): string {
    return address(path, params);
  }

  private async request<T>(
    path: string,
    params: Params | undefined,
    init: RequestInit & { signal?: AbortSignal | undefined },
    read: (answer: Response) => Promise<T>,
  ): Promise<T> {
    const url = address(path, params);
    const done = busy();
    try {
      for (let attempt = 1; ; attempt += 1) {
        const result = await this.attempt(url, init, read, attempt);
        if ("value" in result) return result.value;
        await this.pause(result.retryAfterMs, init.signal);
      }
    } finally {
      done();
    }
  }

  private async attempt<T>(
    url: string,
    init: RequestInit,
    read: (answer: Response) => Promise<T>,
    attempt: number,
  ): Promise<{ value: T } | { retryAfterMs: number }> {
    let answer: Response;
    let value: T;
    try {
      answer = await this.fetch(url, init);
      if (answer.status === 401) reportTrouble("locked", attempt);
      else if (answer.status !== 503) reportConnected();
      if (answer.status === 503 && attempt < MAX_OVERLOADED) {
        reportTrouble("overloaded", attempt);
        return { retryAfterMs: retryAfter(answer) ?? backoff(attempt) };
      }
      if (!answer.ok) {
        const error = await errorOf(answer);
        // After a restart, the server must first read the trace again.
        if (error.status === 409 && error.code === "loading") return { retryAfterMs: LOADING_MS };
        throw error;
      }
      value = await read(answer);
    } catch (error) {
      if (isAbort(error) || error instanceof ApiError) throw error;
      // Retrying does not help with a malformed response.
      if (error instanceof SyntaxError) {
        throw new ApiError(0, "bad-answer", "the server's response could not be read");
      }
      reportTrouble("lost", attempt);
      return { retryAfterMs: backoff(attempt) };
    }
    return { value };
  }
}

/** Relative to the page, so that the viewer also works behind a proxy that adds a prefix. */
function address(path: string, params?: Params): string {
  return new URL(path.replace(/^\//, "") + queryString(params), document.baseURI).href;
}

function postInit(body: string, options: PostOptions): RequestInit & { signal?: AbortSignal } {
  return {
    method: "POST",
    body,
    headers: { "Content-Type": options.contentType ?? "application/x-www-form-urlencoded" },
    signal: options.signal,
  };
}

function backoff(attempt: number): number {
  return Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** (attempt - 1));
}

function retryAfter(answer: Response): number | null {
  const seconds = Number.parseFloat(answer.headers.get("Retry-After") ?? "");
  return Number.isFinite(seconds) ? Math.min(MAX_DELAY_MS, seconds * 1000) : null;
}

async function errorOf(answer: Response): Promise<ApiError> {
  const text = await answer.text();
  try {
    const body = JSON.parse(text) as { code?: string; message?: string };
    if (typeof body.message === "string") {
      return new ApiError(answer.status, body.code ?? "error", body.message);
    }
  } catch {
    // The response is not the server's, but for example a proxy's: only the status is used.
  }
  return new ApiError(answer.status, "error", `the server responded with status ${answer.status}`);
}
