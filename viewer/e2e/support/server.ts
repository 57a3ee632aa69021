import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { createServer } from "node:net";
import type { BrowserContext } from "@playwright/test";
import { PROGRAM } from "./program";

/** The token of all servers in these tests, except those that create their own. */
const TOKEN = randomBytes(16).toString("hex");

/** For requests that the browser does not send. */
export const AUTHORIZATION = { Authorization: `Bearer ${TOKEN}` };

/** Sets the cookie that a browser gets by opening a URL with the token. */
export async function logIn(context: BrowserContext, url: string): Promise<void> {
  const { hostname, port } = new URL(url);
  const name = `warpsight_token_${port}`;
  const cookie = { name, value: TOKEN, domain: hostname, path: "/", httpOnly: true };
  await context.addCookies([{ ...cookie, sameSite: "Strict" }]);
}

export interface Server {
  /** Ends with a slash; without a token. */
  url: string;
  /** The URL as printed. */
  address: string;
  output: () => string;
  stop: () => Promise<void>;
}

/**
 * Every worker has ports of its own, below those that systems hand out by themselves (from 32768 on
 * Linux): a server that is stopped finds its port free when it is started again.
 */
const PORTS_PER_WORKER = 500;
let nextPort = 20_000 + PORTS_PER_WORKER * Number(process.env.TEST_PARALLEL_INDEX ?? 0);

async function freePort(): Promise<number> {
  for (;;) {
    const port = nextPort;
    nextPort += 1;
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once("error", () => resolve(false));
    probe.listen(port, "127.0.0.1", () => probe.close(() => resolve(true)));
  });
}

export interface ServerOptions {
  /** Additional command-line arguments. */
  words?: string[];
  /** Default: a free port. */
  port?: number;
  /** Lets the server create a token, which its URL then contains. */
  ownToken?: boolean;
}

/** Runs `warpsight view` until it is stopped. */
export async function startServer(files: readonly string[], options: ServerOptions = {}) {
  const port = options.port ?? (await freePort());
  const words = ["view", ...files, "-p", String(port), ...(options.words ?? [])];
  const child = spawn(PROGRAM, words, {
    stdio: ["ignore", "pipe", "pipe"],
    env: options.ownToken ? process.env : { ...process.env, WARPSIGHT_TOKEN: TOKEN },
  });
  let output = "";
  child.stdout.on("data", (data) => {
    output += data;
  });
  child.stderr.on("data", (data) => {
    output += data;
  });
  const address = await until(
    child,
    () => /^https?:\/\/\S+/m.exec(output)?.[0] ?? null,
    () => output,
  );
  const server: Server = {
    url: new URL("/", address).href,
    address,
    output: () => output,
    stop: () => stop(child),
  };
  return server;
}

async function until(child: ChildProcess, ask: () => string | null, output: () => string) {
  for (;;) {
    const answer = ask();
    if (answer !== null) return answer;
    if (child.exitCode !== null || child.signalCode !== null)
      throw new Error(`warpsight view ended: ${output()}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

function stop(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve();
    const force = setTimeout(() => child.kill("SIGKILL"), 20_000);
    child.once("exit", () => {
      clearTimeout(force);
      resolve();
    });
    child.kill("SIGTERM");
  });
}

export async function getJson<T>(url: string): Promise<T> {
  const answer = await fetch(url, { headers: AUTHORIZATION });
  if (!answer.ok) throw new Error(`${url}: ${answer.status} ${await answer.text()}`);
  return (await answer.json()) as T;
}

/** Waits until every profile was loaded or has failed. */
export async function whenLoaded(server: Server): Promise<void> {
  for (;;) {
    const { profiles } = await getJson<{ profiles: { state: string }[] }>(
      `${server.url}api/profiles`,
    );
    if (profiles.every((profile) => profile.state !== "loading")) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
