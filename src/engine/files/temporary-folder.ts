/** Explains why the temporary folder (TMPDIR), in which the programs work, cannot be used. */
import { tmpdir } from "node:os";
import { errorCode } from "../../platform/errors.ts";
import { Failure } from "../../platform/failure.ts";
import { quote } from "./source.ts";

const MAKE_IT = "Create it, or set TMPDIR to another folder.";
const ALLOW_IT = "Grant it, or set TMPDIR to another folder.";
const FREE_SPACE = "Free some space, or set TMPDIR to a folder on another disk.";

/** What happened and what to do, by the system's error code. */
const REASONS: Readonly<Record<string, readonly [string, string]>> = {
  ENOENT: ["it does not exist", MAKE_IT],
  ENOTDIR: ["it is not a folder", "Set TMPDIR to a folder."],
  EACCES: ["permission to write to it is denied", ALLOW_IT],
  EPERM: ["permission to write to it is denied", ALLOW_IT],
  EROFS: ["its file system is read-only", "Set TMPDIR to another folder."],
  ENOSPC: ["no space is left on its disk", FREE_SPACE],
  EDQUOT: ["the user's disk quota is used up", FREE_SPACE],
};

/** Returns the failure for a system error in the temporary folder; undefined if the folder is not the cause. */
export function tempDirFailure(error: unknown): Failure | undefined {
  const code = errorCode(error) ?? "";
  const reason = REASONS[code];
  if (reason === undefined) return undefined;
  const [why, advice] = reason;
  return new Failure(
    "TEMP_DIR_UNUSABLE",
    `The temporary folder ${quote(tmpdir())} cannot be used: ${why} (${code}). ${advice}`,
    { cause: error },
  );
}
