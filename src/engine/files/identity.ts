/** Identifies a file without reading it, and notices its changes: by its place, its size and its times. */
import type { BigIntStats } from "node:fs";
import { stat } from "node:fs/promises";

/**
 * Milliseconds that a file must have been left alone. Times have the resolution of the system's clock tick, of some file
 * systems 2 seconds: a file can be written again without another time of its last change.
 */
const SETTLED_MS = 2_500n;
const NS_PER_MS = 1_000_000n;

/** Place, size and times of a file. */
export type FileFacts = Pick<BigIntStats, "dev" | "ino" | "size" | "mtimeNs" | "ctimeNs">;

/**
 * Returns device, inode, size, and the times of the last modification and of the last change, which programs cannot set.
 * Undefined: the file changed so recently that they do not tell.
 */
export function identityOf(
  { dev, ino, size, mtimeNs, ctimeNs }: FileFacts,
  nowMs = Date.now(),
): string | undefined {
  const latest = mtimeNs > ctimeNs ? mtimeNs : ctimeNs;
  if (BigInt(nowMs) - latest / NS_PER_MS < SETTLED_MS) return undefined;
  return [dev, ino, size, mtimeNs, ctimeNs].join(":");
}

/** The same of the file at a path; undefined also if there is none, or it is not a regular file. */
export async function fileIdentity(path: string): Promise<string | undefined> {
  const found = await stat(path, { bigint: true }).catch(() => undefined);
  return found?.isFile() ? identityOf(found) : undefined;
}
