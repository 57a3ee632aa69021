import { createStore } from "./store";

/**
 * Whether the server responds. `lost`: requests are retried automatically. `locked`: it requires a
 * token that this page does not have.
 */
export interface Connection {
  state: "ok" | "lost" | "overloaded" | "locked";
  /** Consecutive failed tries. */
  attempts: number;
}

const OK: Connection = { state: "ok", attempts: 0 };

export const connection = createStore<Connection>(OK);

const waiting = new Set<() => void>();

/** Ends all waiting, so that requests are retried immediately. */
export function retryNow(): void {
  for (const wake of [...waiting]) wake();
}

export function reportConnected(): void {
  if (connection.get().state === "ok") return;
  connection.set(OK);
  retryNow();
}

export function reportTrouble(state: Exclude<Connection["state"], "ok">, attempts: number): void {
  connection.set({ state, attempts });
}

/** Waits for this time or until retryNow(); fails if the signal is aborted. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const finish = () => {
      clearTimeout(timer);
      waiting.delete(finish);
      signal?.removeEventListener("abort", cancel);
      resolve();
    };
    const cancel = () => {
      clearTimeout(timer);
      waiting.delete(finish);
      reject(new DOMException("aborted", "AbortError"));
    };
    const timer = setTimeout(finish, ms);
    waiting.add(finish);
    if (signal?.aborted) cancel();
    else signal?.addEventListener("abort", cancel, { once: true });
  });
}
