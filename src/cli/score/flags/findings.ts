/** The options for videos that turn out not to match. */
import { InvalidArgumentError, type Option } from "commander";
import type { PairRequest } from "../../../engine/contract/request.ts";
import {
  FINDING_ACTIONS,
  type FindingsPolicy,
  joinPolicies,
  POLICY_RULE,
  parsePolicy,
} from "../../../jobs/findings-policy.ts";
import { offering, optional } from "../../flags/optional.ts";

/** Parsed options, named as in requests. */
export type FindingsFlags = Pick<PairRequest, "findings" | "fix">;

export function findingsOptions(): Option[] {
  return [
    offering(
      optional(
        "--findings <policy>",
        "if the videos do not match: refuse, warn or ignore; for some findings only: ignore:BARS,CROPPED; repeatable, a later one applies",
        "refuse if a score would certainly be wrong, else warn",
      ).argParser(collectPolicy),
      FINDING_ACTIONS.map((action) => action.toLowerCase()),
    ),
    optional("--fix", "first find out how the videos relate, and apply all certain fixes", "off"),
  ];
}

/** Returns the members of a request. */
export function findingsOf({ findings, fix }: FindingsFlags): FindingsFlags {
  return { ...(findings && { findings }), ...(fix && { fix }) };
}

function collectPolicy(text: string, before: FindingsPolicy = {}): FindingsPolicy {
  const policy = parsePolicy(text);
  if (policy === undefined) throw new InvalidArgumentError(`Use ${POLICY_RULE}.`);
  return joinPolicies([before, policy]);
}
