/** Suggests the command-line option that would score a refused pair. */
import type { Remedy, RemedyOption } from "../engine/contract/remedy.ts";
import type { Found } from "../platform/failure.ts";
import { isObject } from "../platform/json.ts";
import { policyOption } from "./api-names.ts";
import { printable } from "./terminal/escape.ts";
import { wrap } from "./terminal/wrap.ts";

/** For each option, the policy that scores what the other policy refuses. */
const POLICIES: ReadonlyMap<unknown, readonly [RemedyOption, Remedy["value"] & string]> = new Map(
  (
    [
      ["onFrameCountMismatch", "COMMON"],
      ["onFrameRateMismatch", "COMMON"],
      ["editLists", "IGNORE"],
      ["scaling", "AUTO"],
      ["findings", "WARN"],
    ] as const
  ).map((policy) => [policy[0], policy]),
);

/** Returns the suggestion from a failure's facts; no lines if they name no option known to this version. */
export function remedyLines({ remedy }: Found, columns: number): string[] {
  if (!isObject(remedy)) return [];
  const { option, onlyIf } = remedy;
  const policy = POLICIES.get(option);
  const flags = policy === undefined ? ownFlag(remedy) : policyOption(...policy);
  if (flags === undefined) return [];
  if (typeof onlyIf !== "string") return wrap(`To score the pair: ${flags}`, columns);
  return [...wrap(`Only if ${printable(onlyIf)}:`, columns), flags];
}

/** Returns the flag of an option that has no policies. */
function ownFlag({ option, value }: Found): string | undefined {
  if (option === "fix") return "--fix";
  return option === "offset" && typeof value === "number" ? `--offset ${value}` : undefined;
}
