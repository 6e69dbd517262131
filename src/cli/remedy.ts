/** The option that scores a pair which was refused, as the command line has it. */
import type { Remedy, RemedyOption } from "../engine/remedy.ts";
import type { Found } from "../platform/failure.ts";
import { isObject } from "../platform/json.ts";
import { policyOption } from "./api-names.ts";
import { printable } from "./escape.ts";
import { wrap } from "./wrap.ts";

/** The policy of each option that scores what its other one refuses. */
const POLICIES: ReadonlyMap<unknown, readonly [RemedyOption, Remedy["value"]]> = new Map(
  (
    [
      ["onFrameCountMismatch", "COMMON"],
      ["onFrameRateMismatch", "COMMON"],
      ["editLists", "IGNORE"],
      ["scaling", "AUTO"],
    ] as const
  ).map((policy) => [policy[0], policy]),
);

/** Lines, by the facts of a failure, which may come from a server of another version: none where they name no option. */
export function remedyLines({ remedy }: Found, columns: number): string[] {
  if (!isObject(remedy)) return [];
  const { option, onlyIf } = remedy;
  const policy = POLICIES.get(option);
  if (policy === undefined) return [];
  const flags = policyOption(...policy);
  if (typeof onlyIf !== "string") return wrap(`To score the pair: ${flags}`, columns);
  return [...wrap(`Only if ${printable(onlyIf)}:`, columns), flags];
}
