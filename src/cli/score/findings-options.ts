/** The options that say what is done if the videos turn out not to match. */
import { InvalidArgumentError, type Option } from "commander";
import { FINDING_CODES, type FindingCode } from "../../engine/contract/finding.ts";
import {
  FINDING_ACTIONS,
  type FindingAction,
  type FindingsPolicy,
} from "../../engine/contract/findings-policy.ts";
import type { PairRequest } from "../../engine/contract/request.ts";
import { offering, optional } from "../flags/optional.ts";
import { quoteName } from "../terminal/escape.ts";

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
    optional("--fix", "find out first how the videos relate, and apply all certain fixes", "off"),
  ];
}

/** Returns the members of a request. */
export function findingsOf({ findings, fix }: FindingsFlags): FindingsFlags {
  return { ...(findings && { findings }), ...(fix && { fix }) };
}

function collectPolicy(text: string, before: FindingsPolicy = {}): FindingsPolicy {
  const [word = "", list, ...rest] = text.split(":");
  const action = FINDING_ACTIONS.find((known) => known === word.toUpperCase());
  if (action === undefined || rest.length > 0)
    throw new InvalidArgumentError(
      "Use refuse, warn or ignore, and for some findings only their codes after a colon, for example warn:BARS,CROPPED.",
    );
  if (list === undefined) return { ...before, action };
  return { ...before, codes: { ...before.codes, ...actionOnEach(list, action) } };
}

function actionOnEach(list: string, action: FindingAction): FindingsPolicy["codes"] {
  return Object.fromEntries(list.split(",").map((name) => [codeNamed(name), action]));
}

function codeNamed(name: string): FindingCode {
  const folded = name.trim().toUpperCase().replaceAll("-", "_");
  const code = FINDING_CODES.find((known) => known === folded);
  if (code !== undefined) return code;
  throw new InvalidArgumentError(`${quoteName(name)} is not a finding. Use ${FINDING_CODES.join(", ")}.`);
}
