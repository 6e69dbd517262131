/** Why a system call failed, in words. */
import { getSystemErrorMap } from "node:util";
import { messageOf } from "./errors.ts";

/** Returns the reason of a failed system call, such as "permission denied"; for any other error its message. */
export function systemReason(thrown: unknown): string {
  const errno = thrown instanceof Error && "errno" in thrown ? thrown.errno : undefined;
  const known = typeof errno === "number" ? getSystemErrorMap().get(errno) : undefined;
  return known?.[1] ?? messageOf(thrown);
}
