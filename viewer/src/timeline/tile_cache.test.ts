// @vitest-environment node
import { describe, expect, it, vi } from "vitest";
import { type Piece, TileCache, type TileCacheOptions } from "./tile_cache";
import { encodeTile } from "./tile_test_data";

class NotHere extends Error {}

interface Pending {
  name: string;
  signal: AbortSignal;
  resolve: (buffer: ArrayBuffer) => void;
  reject: (error: unknown) => void;
}

/** A cache with requests that the test answers. */
function setup(changes: Partial<TileCacheOptions> = {}) {
  const pending: Pending[] = [];
  const onChange = vi.fn();
  const onError = vi.fn();
  const cache = new TileCache({
    span: 1024,
    maxLevel: 10,
    fetch: (set, level, index, signal) =>
      new Promise((resolve, reject) => {
        pending.push({ name: `${set}/${level}/${index}`, signal, resolve, reject });
        signal.addEventListener("abort", () => reject(new DOMException("aborted", "AbortError")));
      }),
    onChange,
    onError,
    isMissing: (error) => error instanceof NotHere,
    isAbort: (error) => error instanceof DOMException,
    ...changes,
  });
  const settle = () => new Promise((resolve) => setTimeout(resolve, 0));
  const answer = async (name: string, buffer = encodeTile([])) => {
    pending.find((request) => request.name === name && !request.signal.aborted)?.resolve(buffer);
    await settle();
  };
  const fail = async (name: string, error: unknown) => {
    pending.find((request) => request.name === name)?.reject(error);
    await settle();
  };
  return { cache, pending, onChange, onError, answer, fail, settle };
}

const key = (level: number, index: number, set = 0) => ({ set, level, index });
const spans = (pieces: Piece[]) => pieces.map(({ start, end }) => [start, end]);

describe("TileCache", () => {
  it("requests a tile once, however often it is needed", async () => {
    const { cache, pending, answer, onChange } = setup();
    cache.want([key(2, 1)]);
    cache.want([key(2, 1)]);
    expect(pending.map((request) => request.name)).toEqual(["0/2/1"]);
    await answer("0/2/1");
    expect(onChange).toHaveBeenCalledTimes(1);
    cache.want([key(2, 1)]);
    expect(pending).toHaveLength(1);
    expect(cache.get(0, 2, 1)).toBeDefined();
  });

  it("aborts requests that are no longer needed", () => {
    const { cache, pending } = setup();
    cache.want([key(2, 1), key(2, 2)]);
    cache.want([key(2, 2)]);
    expect(pending[0]?.signal.aborted).toBe(true);
    expect(pending[1]?.signal.aborted).toBe(false);
    expect(cache.inFlight).toBe(1);
  });

  it("limits concurrent requests, in order of importance", async () => {
    const { cache, pending, answer } = setup({ maxInFlight: 2 });
    cache.want([key(3, 0), key(3, 1), key(3, 2)]);
    expect(pending.map((request) => request.name)).toEqual(["0/3/0", "0/3/1"]);
    await answer("0/3/0");
    expect(pending.map((request) => request.name)).toEqual(["0/3/0", "0/3/1", "0/3/2"]);
  });

  it("covers with coarser and finer tiles until the requested one arrives", async () => {
    const { cache, answer } = setup();
    const pieces: Piece[] = [];
    expect(cache.cover(0, 2, 0, 3, pieces)).toEqual([]);
    cache.want([key(0, 0)]);
    await answer("0/0/0");
    expect(spans(cache.cover(0, 2, 0, 3, pieces))).toEqual([[0, 1024]]);
    cache.want([key(2, 1), key(3, 4)]);
    await answer("0/2/1");
    await answer("0/3/4");
    cache.cover(0, 2, 0, 3, pieces);
    expect(spans(pieces)).toEqual([
      [0, 256],
      [256, 512],
      [512, 640],
      [640, 1024],
    ]);
    expect(pieces[0]?.tile).toBe(pieces[3]?.tile);
    expect(pieces[1]?.tile).toBe(cache.get(0, 2, 1));
    expect(pieces[2]?.tile).toBe(cache.get(0, 3, 4));
  });

  it("separates sets of lanes", async () => {
    const { cache, answer } = setup();
    cache.want([key(0, 0, 1)]);
    await answer("1/0/0");
    expect(cache.cover(0, 0, 0, 0, [])).toEqual([]);
    expect(cache.cover(1, 0, 0, 0, [])).toHaveLength(1);
  });

  it("drops least recently used tiles, except those on screen", async () => {
    const size = encodeTile([]).byteLength * 2;
    const { cache, answer } = setup({ maxBytes: size * 2 });
    for (const index of [0, 1]) {
      cache.want([key(3, index)]);
      await answer(`0/3/${index}`);
    }
    cache.get(0, 3, 0);
    cache.want([key(3, 2)]);
    await answer("0/3/2");
    expect(cache.get(0, 3, 0)).toBeDefined();
    expect(cache.get(0, 3, 1)).toBeUndefined();
    expect(cache.byteLength).toBe(size * 2);
    cache.want([key(4, 0), key(4, 1), key(4, 2)]);
    for (const index of [0, 1, 2]) await answer(`0/4/${index}`);
    for (const index of [0, 1, 2]) expect(cache.get(0, 4, index)).toBeDefined();
  });

  it("falls back to the nearest coarser tile if one does not exist", async () => {
    const { cache, pending, answer, fail, onError } = setup();
    cache.want([key(3, 5)]);
    await fail("0/3/5", new NotHere());
    await fail("0/2/2", new NotHere());
    await answer("0/1/1");
    expect(cache.reduced).toBe(true);
    expect(onError).not.toHaveBeenCalled();
    expect(spans(cache.cover(0, 3, 5, 5, []))).toEqual([[640, 768]]);
    cache.want([key(3, 4), key(3, 5)]);
    expect(pending.map((request) => request.name)).toEqual(["0/3/5", "0/2/2", "0/1/1", "0/3/4"]);
  });

  it("reports failures once and retries on request", async () => {
    const { cache, pending, fail, onError, answer } = setup();
    cache.want([key(1, 0)]);
    await fail("0/1/0", new Error("500"));
    cache.want([key(1, 0)]);
    expect(pending).toHaveLength(1);
    expect(onError).toHaveBeenCalledTimes(1);
    cache.retry();
    expect(pending).toHaveLength(2);
    await answer("0/1/0");
  });

  it("reports bytes that are not a tile", async () => {
    const { cache, answer, onError } = setup();
    cache.want([key(1, 0)]);
    await answer("0/1/0", new ArrayBuffer(64));
    expect(String(onError.mock.calls[0]?.[0])).toContain("not a timeline tile");
    expect(cache.get(0, 1, 0)).toBeUndefined();
  });

  it("reports nothing after it was closed", async () => {
    const { cache, pending, settle, onChange, onError } = setup();
    cache.want([key(1, 0)]);
    cache.close();
    pending[0]?.resolve(encodeTile([]));
    await settle();
    expect(onChange).not.toHaveBeenCalled();
    expect(onError).not.toHaveBeenCalled();
  });
});
