import { beforeEach, describe, expect, it, vi } from "vitest";
import { connection, reportConnected } from "./connection";
import { HttpSource } from "./http_source";
import { OfflineSource, unpack } from "./offline_source";
import { ApiError, queryString } from "./source";

function answer(status: number, body: unknown, headers: Record<string, string> = {}): Response {
  return new Response(typeof body === "string" ? body : JSON.stringify(body), { status, headers });
}

function sourceWith(...answers: (Response | Error | DOMException)[]) {
  const waits: number[] = [];
  const states: string[] = [];
  const fetch = vi.fn(async (_input: RequestInfo | URL, _init?: RequestInit) => {
    const next = answers.shift();
    if (next === undefined) throw new ApiError(0, "test", "asked too often");
    if (!(next instanceof Response)) throw next;
    return next;
  });
  const pause = async (ms: number) => {
    waits.push(ms);
    states.push(connection.get().state);
  };
  return { source: new HttpSource({ fetch, pause }), fetch, waits, states };
}

describe("a server", () => {
  beforeEach(reportConnected);

  it("gets requests with encoded parameters, relative to the page", async () => {
    const { source, fetch } = sourceWith(answer(200, { a: 1 }));
    expect(await source.json("/api/x", { "f.Op ID": "=A&B", empty: "", none: null })).toEqual({
      a: 1,
    });
    expect(String(fetch.mock.calls[0]?.[0])).toBe("http://localhost:3000/api/x?f.Op%20ID=%3DA%26B");
  });

  it("that is unreachable is retried with growing delays, and the state shows it", async () => {
    const gone = new TypeError("Failed to fetch");
    const { source, waits, states } = sourceWith(gone, gone, gone, answer(200, 1));
    expect(await source.json("/api/x")).toBe(1);
    expect(waits).toEqual([250, 500, 1000]);
    expect(states).toEqual(["lost", "lost", "lost"]);
    expect(connection.get().state).toBe("ok");
  });

  it("that is busy determines the delay", async () => {
    const { source, waits, states } = sourceWith(
      answer(503, "", { "Retry-After": "2" }),
      answer(200, 1),
    );
    await source.json("/api/x");
    expect(waits).toEqual([2000]);
    expect(states).toEqual(["overloaded"]);
  });

  it("that is still reading the trace is polled", async () => {
    const { source, waits } = sourceWith(
      answer(409, { code: "loading", message: "still being opened" }),
      answer(200, 1),
    );
    expect(await source.json("/api/x")).toBe(1);
    expect(waits).toHaveLength(1);
  });

  it("that stays busy finally gives an error", async () => {
    const busy = Array.from({ length: 6 }, () =>
      answer(503, { code: "busy", message: "too much" }),
    );
    await expect(sourceWith(...busy).source.json("/api/x")).rejects.toMatchObject({ status: 503 });
  });

  it("returns errors with code and message, without retries", async () => {
    const { source, fetch } = sourceWith(answer(404, { code: "unknown-report", message: "no x" }));
    await expect(source.json("/api/x")).rejects.toEqual(
      new ApiError(404, "unknown-report", "no x"),
    );
    expect(fetch).toHaveBeenCalledTimes(1);
  });

  it("that requires a token is not retried, and the state shows it", async () => {
    const { source, fetch } = sourceWith(
      answer(401, { code: "no-token", message: "this needs the token" }),
      answer(200, 1),
    );
    await expect(source.json("/api/x")).rejects.toMatchObject({ status: 401 });
    expect(fetch).toHaveBeenCalledTimes(1);
    expect(connection.get().state).toBe("locked");
    await source.json("/api/x");
    expect(connection.get().state).toBe("ok");
  });

  it("behind a proxy may return other errors", async () => {
    const { source } = sourceWith(answer(502, "<html>Bad gateway</html>"));
    await expect(source.json("/api/x")).rejects.toMatchObject({ status: 502, code: "error" });
  });

  it("is not retried after an abort", async () => {
    const abort = new DOMException("aborted", "AbortError");
    const { source, fetch } = sourceWith(abort);
    await expect(source.json("/api/x")).rejects.toBe(abort);
    expect(fetch).toHaveBeenCalledTimes(1);
  });
});

describe("a page with data", () => {
  const report = {
    columns: [{ name: "N", type: "integer" }],
    rows: [[1], [2], [3]],
    links: [null, null, null],
    notes: [],
  };
  const source = new OfflineSource(
    Promise.resolve({
      responses: {
        "/api/profiles": { version: "1" },
        "/api/profiles/p/aggregations/default/reports/detail": report,
        "/api/profiles/p/aggregations/default/timeline/tiles/0/0": { base64: btoa("WST1") },
      },
    }),
  );

  it("responds like the server", async () => {
    expect(await source.json("/api/profiles")).toEqual({ version: "1" });
  });

  it("sorts and pages reports itself", async () => {
    const got = await source.json("/api/profiles/p/aggregations/default/reports/detail", {
      sort: "N",
      order: "desc",
      limit: 2,
    });
    expect(got).toMatchObject({ total: 3, filtered: 3, rows: [[3], [2]] });
  });

  it("returns tiles", async () => {
    const bytes = await source.bytes("/api/profiles/p/aggregations/default/timeline/tiles/0/0", {
      v: "x",
    });
    expect(new TextDecoder().decode(bytes)).toBe("WST1");
  });

  it("says what needs a server", async () => {
    await expect(source.post("/api/profiles/p/sql", "FROM x")).rejects.toMatchObject({
      code: "offline",
    });
    await expect(source.json("/api/other")).rejects.toMatchObject({ code: "not-embedded" });
    expect(source.downloadUrl("/api/x")).toBeNull();
  });

  it("says when its data is damaged", async () => {
    await expect(unpack("bm90IGd6aXA=")).rejects.toMatchObject({ code: "damaged" });
  });
});

it("omits missing parameters", () =>
  expect(queryString({ a: 0, b: "", c: null, d: undefined, e: false })).toBe("?a=0&e=false"));
