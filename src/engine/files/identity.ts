/** Identifies a file, and detects changes, without reading it: by its place, size and times. */
import type { BigIntStats } from "node:fs";
import { stat } from "node:fs/promises";

/**
 * Milliseconds for which a file must have been unchanged. Times have the resolution of the system's clock
 * tick, or 2 seconds on some file systems, so a file can be written again without a new change time.
 */
const SETTLED_MS = 2_500n;
const NS_PER_MS = 1_000_000n;

/** Place, size and times of a file. */
export type FileFacts = Pick<BigIntStats, "dev" | "ino" | "size" | "mtimeNs" | "ctimeNs">;

/**
 * Returns device, inode, size, and the times of the last modification and of the last change, which programs
 * cannot set. Undefined if the file changed so recently that these do not identify its content.
 */
export function identityOf(
  { dev, ino, size, mtimeNs, ctimeNs }: FileFacts,
  nowMs = Date.now(),
): string | undefined {
  const latest = mtimeNs > ctimeNs ? mtimeNs : ctimeNs;
  if (BigInt(nowMs) - latest / NS_PER_MS < SETTLED_MS) return undefined;
  return [dev, ino, size, mtimeNs, ctimeNs].join(":");
}

/**
 * Returns the identity of the file at a path; also undefined if it does not exist or is not a regular file.
 */
export async function fileIdentity(path: string): Promise<string | undefined> {
  const found = await stat(path, { bigint: true }).catch(() => undefined);
  return found?.isFile() ? identityOf(found) : undefined;
}
