/** The policy of a request on findings. */
import { FINDING_ACTIONS, type FindingAction, type FindingsPolicy } from "../../jobs/findings-policy.ts";
import { invalid } from "../../platform/failure.ts";
import { FINDING_CODES, type Finding, type FindingCode } from "./finding.ts";

export { FINDING_ACTIONS, type FindingAction, type FindingsPolicy };

/**
 * Findings that refuse a pair if they are certain, because the wrong content is compared. The others can be faults of
 * the encode, which the score should show.
 */
const REFUSING: ReadonlySet<FindingCode> = new Set([
  ...["OFFSET", "TRIMMED", "FRAMES_DROPPED", "FRAMES_DUPLICATED", "TIME_UNCLEAR", "RATE_DIFFERS"],
  ...[
    "CROPPED",
    "BARS",
    "PADDED",
    "ROTATED",
    "MIRRORED",
    "RANGE_DIFFERS",
    "TRANSFER_DIFFERS",
    "OTHER_CONTENT",
  ],
] as FindingCode[]);

export function actionOn(
  code: FindingCode,
  { action = "REFUSE", codes }: FindingsPolicy = {},
): FindingAction {
  return codes?.[code] ?? action;
}

/** Whether there is any finding that a policy does not ignore. */
export function isLookedFor(policy: FindingsPolicy = {}): boolean {
  return FINDING_CODES.some((code) => actionOn(code, policy) !== "IGNORE");
}

export function refuses({ code, confidence }: Finding, policy: FindingsPolicy = {}): boolean {
  return confidence === "certain" && REFUSING.has(code) && actionOn(code, policy) === "REFUSE";
}

/** Throws INVALID_REQUEST for an action or a code that does not exist. */
export function refuseFindingsPolicy({ action, codes }: FindingsPolicy): void {
  refuseAction("findings.action", action);
  for (const [code, own] of Object.entries(codes ?? {})) {
    if (!FINDING_CODES.some((known) => known === code))
      throw invalid(`findings.codes has ${code}, which is not a finding. Use ${FINDING_CODES.join(", ")}.`);
    refuseAction(`findings.codes.${code}`, own);
  }
}

function refuseAction(name: string, action: FindingAction | undefined): void {
  if (action === undefined || FINDING_ACTIONS.includes(action)) return;
  throw invalid(`${name} is ${action}. Use ${FINDING_ACTIONS.join(", ")}.`);
}
