import {
  closeSync,
  copyFileSync,
  openSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { ROOT } from "./program";

/** Copies of a profile with different kinds of damage. */
export function cutShort(profile: string, copy: string): string {
  copyFileSync(profile, copy);
  truncateSync(copy, Math.floor(statSync(profile).size / 5));
  return copy;
}

export function overwritten(profile: string, copy: string): string {
  copyFileSync(profile, copy);
  const file = openSync(copy, "r+");
  writeSync(file, Buffer.alloc(64 * 1024, 0x5a), 0, 64 * 1024, Math.floor(statSync(copy).size / 3));
  closeSync(file);
  return copy;
}

/** The first part of a compressed trace, as after a full disk. */
export function cutTrace(trace: string, copy: string): string {
  const bytes = readFileSync(trace);
  writeFileSync(copy, bytes.subarray(0, Math.floor(bytes.length / 2)));
  return copy;
}

interface Bindings {
  open(path: string): Promise<object>;
  connect(database: object): Promise<object>;
  query(connection: object, sql: string): Promise<object>;
  disconnect_sync(connection: object): void;
  close_sync(database: object): void;
}

/** The DuckDB library that the build got from npm; null if the system's is used. */
function bindings(): Bindings | null {
  const folder = `third_party/duckdb/node_modules/@duckdb/node-bindings-linux-${process.arch}`;
  try {
    return createRequire(import.meta.url)(path.join(ROOT, folder, "duckdb.node")) as Bindings;
  } catch {
    return null;
  }
}

/** A copy with another schema version; null if there is no DuckDB to write it. */
export async function withSchema(version: number, profile: string, copy: string) {
  const duckdb = bindings();
  if (duckdb === null) return null;
  copyFileSync(profile, copy);
  const database = await duckdb.open(copy);
  const connection = await duckdb.connect(database);
  await duckdb.query(
    connection,
    `UPDATE warpsight SET value = '${version}' WHERE key = 'schema_version'`,
  );
  duckdb.disconnect_sync(connection);
  duckdb.close_sync(database);
  return copy;
}
