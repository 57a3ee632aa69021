import type { ReportAnswer } from "./api_types";
import { busy } from "./idle";
import { ApiError, type Params, type PostOptions, type Source } from "./source";
import { queryTable } from "./table_query";

/** Responses by path without parameters; binary ones as base64. */
export interface OfflineData {
  responses: Record<string, unknown>;
}

const ELEMENT = "warpsight-data";
const REPORT = /^\/api\/profiles\/[^/]+\/aggregations\/[^/]+\/reports\/[^/]+$/;

/** Whether this page contains a profile. */
export function hasEmbeddedData(): boolean {
  return document.getElementById(ELEMENT) !== null;
}

/** Responses from data in the page (`warpsight export --html`). */
export class OfflineSource implements Source {
  readonly offline = true;
  private readonly data: Promise<OfflineData>;

  constructor(data: Promise<OfflineData>) {
    this.data = data;
  }

  static fromPage(): OfflineSource {
    return new OfflineSource(unpack(document.getElementById(ELEMENT)?.textContent ?? ""));
  }

  async json<T>(path: string, params: Params = {}, _signal?: AbortSignal): Promise<T> {
    const found = await this.find(path);
    if (REPORT.test(path)) return queryTable(found as ReportAnswer, params) as T;
    return found as T;
  }

  async bytes(path: string, _params?: Params, _signal?: AbortSignal): Promise<ArrayBuffer> {
    const found = (await this.find(path)) as { base64?: string };
    if (typeof found.base64 !== "string") throw notEmbedded(path);
    return decodeBase64(found.base64).buffer;
  }

  post<T>(_path: string, _body: string, _options?: PostOptions): Promise<T> {
    return Promise.reject(needsServer());
  }

  postBytes(_path: string, _body: string, _options?: PostOptions): Promise<ArrayBuffer> {
    return Promise.reject(needsServer());
  }

  remove(_path: string, _signal?: AbortSignal): Promise<void> {
    return Promise.reject(needsServer());
  }

  downloadUrl(_path: string, _params?: Params): null {
    return null;
  }

  private async find(path: string): Promise<unknown> {
    const done = busy();
    try {
      const { responses } = await this.data;
      const found = responses[path];
      if (found === undefined) throw notEmbedded(path);
      return found;
    } finally {
      done();
    }
  }
}

function needsServer(): ApiError {
  return new ApiError(
    0,
    "offline",
    "This page is an offline file without a server. Open the profile with `warpsight view` for this.",
  );
}

function notEmbedded(path: string): ApiError {
  return new ApiError(
    404,
    "not-embedded",
    `This page does not contain ${path.split("/").slice(-2).join(" ")}. Open the profile with \`warpsight view\` to see it.`,
  );
}

/** Decodes base64(gzip(JSON)). */
export async function unpack(text: string): Promise<OfflineData> {
  try {
    const stream = new Blob([decodeBase64(text.trim())])
      .stream()
      .pipeThrough(new DecompressionStream("gzip"));
    return (await new Response(stream).json()) as OfflineData;
  } catch {
    throw new ApiError(0, "damaged", "The data in this page is damaged; export it again.");
  }
}

function decodeBase64(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i += 1) bytes[i] = binary.charCodeAt(i);
  return bytes;
}
