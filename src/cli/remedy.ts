/** The option that scores a pair which was refused, as the command line has it. */
import type { RemedyOption } from "../engine/remedy.ts";
import type { Found } from "../platform/failure.ts";
import { isObject } from "../platform/json.ts";
import { printable } from "./escape.ts";
import { wrap } from "./wrap.ts";

const FLAGS: Readonly<Record<RemedyOption, string>> = {
  onFrameCountMismatch: "--on-frame-count-mismatch common",
  onFrameRateMismatch: "--on-frame-rate-mismatch common",
  editLists: "--edit-lists ignore",
  scaling: "leave out --no-scaling",
};

/** Lines, by the facts of a failure, which may come from a server of another version: none where they name no option. */
export function remedyLines({ remedy }: Found, columns: number): string[] {
  if (!isObject(remedy)) return [];
  const { option, onlyIf } = remedy;
  const flags = new Map<unknown, string>(Object.entries(FLAGS)).get(option);
  if (flags === undefined) return [];
  if (typeof onlyIf !== "string") return wrap(`To score the pair: ${flags}`, columns);
  return [...wrap(`Only if ${printable(onlyIf)}:`, columns), flags];
}
