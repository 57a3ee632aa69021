import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { busyTimeout } from "./idle";

const idle = () => document.documentElement.dataset.idle;

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** Long enough for the two frames that a page takes to come to rest. */
const FRAMES_MS = 100;

test("a page is at rest after a timeout has run, not before", () => {
  const run = vi.fn();
  busyTimeout(run, 300);
  vi.advanceTimersByTime(299);
  expect(idle()).toBe("false");
  expect(run).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1 + FRAMES_MS);
  expect(run).toHaveBeenCalledOnce();
  expect(idle()).toBe("true");
});

test("a timeout that was canceled does not run, and nobody waits for it", () => {
  const run = vi.fn();
  const cancel = busyTimeout(run, 300);
  vi.advanceTimersByTime(100);
  cancel();
  cancel();
  vi.advanceTimersByTime(FRAMES_MS);
  expect(idle()).toBe("true");
  vi.advanceTimersByTime(1000);
  expect(run).not.toHaveBeenCalled();
});

test("work that a timeout starts is waited for as well", () => {
  let second = () => {};
  busyTimeout(() => {
    second = busyTimeout(() => {}, 500);
  }, 100);
  vi.advanceTimersByTime(100 + FRAMES_MS);
  expect(idle()).toBe("false");
  second();
  vi.advanceTimersByTime(FRAMES_MS);
  expect(idle()).toBe("true");
});
