/** Converts findings, fixes, diagnoses and policies on findings from and to messages. */
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import type { Run } from "../engine/contract/alignment.ts";
import type { Diagnosis } from "../engine/contract/diagnosis.ts";
import { CONFIDENCES, FINDING_CODES, type Finding, type Fix } from "../engine/contract/finding.ts";
import {
  type FindingAction,
  type FindingsPolicy,
  refuseFindingsPolicy,
} from "../engine/contract/findings-policy.ts";
import { SIDES } from "../engine/contract/request.ts";
import {
  type Diagnosis as DiagnosisMessage,
  DiagnosisSchema,
  type Finding as FindingMessage,
  type FindingSchema,
  FindingsPolicy_Action,
  type FindingsPolicy as FindingsPolicyMessage,
  type FindingsPolicySchema,
  type Fix as FixMessage,
  type FixSchema,
} from "../gen/proto/svc/v1/scoring_pb.ts";
import { invalid } from "../platform/failure.ts";
import { matrixMessage, mirrorMessage, pictureOf, rangeMessage } from "./picture.ts";

const ACTIONS: Readonly<Record<number, FindingAction>> = {
  [FindingsPolicy_Action.REFUSE]: "REFUSE",
  [FindingsPolicy_Action.WARN]: "WARN",
  [FindingsPolicy_Action.IGNORE]: "IGNORE",
};

/** Throws INVALID_REQUEST for an action or a code that does not exist. */
export function findingsPolicyOf({ action, codes }: FindingsPolicyMessage): FindingsPolicy {
  const own = Object.entries(codes).map(([code, value]) => [code, actionOf(`codes.${code}`, value)] as const);
  const policy = {
    ...(action !== FindingsPolicy_Action.ACTION_UNSPECIFIED && { action: actionOf("action", action) }),
    ...(own.length > 0 && { codes: Object.fromEntries(own) }),
  };
  refuseFindingsPolicy(policy);
  return policy;
}

export function findingsPolicyMessage({
  action,
  codes = {},
}: FindingsPolicy): MessageInitShape<typeof FindingsPolicySchema> {
  const own = Object.entries(codes).map(([code, value]) => [code, FindingsPolicy_Action[value]] as const);
  return { ...(action && { action: FindingsPolicy_Action[action] }), codes: Object.fromEntries(own) };
}

/** Enums of proto3 are open: unknown numbers are passed through. */
function actionOf(field: string, value: number): FindingAction {
  const action = ACTIONS[value];
  if (action !== undefined) return action;
  throw invalid(`findings.${field} ${value} is not known. Use ${Object.values(ACTIONS).join(" or ")}.`);
}

export function findingMessage({
  code,
  side,
  frames,
  area,
  size,
  confidence,
  evidence,
  fix,
  fixed = false,
}: Finding): MessageInitShape<typeof FindingSchema> {
  return {
    ...{ code, side: side ?? "", confidence, evidence, fixed },
    ...(frames && { frames }),
    ...(area && { area }),
    ...(size !== undefined && { size }),
    ...(fix && { fix: fixMessage(fix) }),
  };
}

function fixMessage({
  offset,
  runs,
  crop,
  mirror,
  rangeOf,
  matrixOf,
}: Fix): MessageInitShape<typeof FixSchema> {
  return {
    ...(offset !== undefined && { offset }),
    ...(runs && { runs: [...runs] }),
    ...(crop && { crop }),
    ...(mirror && { mirror: mirrorMessage(mirror) }),
    ...(rangeOf && { rangeOf: rangeMessage(rangeOf) }),
    ...(matrixOf && { matrixOf: matrixMessage(matrixOf) }),
  };
}

/** Throws INVALID_REQUEST for a code, a side or a confidence that this version does not know. */
export function findingOf(message: FindingMessage): Finding {
  const { code, side, frames, area, size, confidence, evidence, fix, fixed } = message;
  return {
    code: knownValue("code", code, FINDING_CODES),
    ...(side !== "" && { side: knownValue("side", side, SIDES) }),
    ...(frames && { frames: { first: frames.first, count: frames.count } }),
    ...(area && { area: { x: area.x, y: area.y, width: area.width, height: area.height } }),
    ...(size !== undefined && { size }),
    confidence: knownValue("confidence", confidence, CONFIDENCES),
    evidence,
    ...(fix && { fix: fixOf(fix) }),
    ...(fixed && { fixed }),
  };
}

function knownValue<T extends string>(field: string, value: string, values: readonly T[]): T {
  const found = values.find((one) => one === value);
  if (found !== undefined) return found;
  throw invalid(`A finding has an unknown ${field}. Run the same version of svc on every machine.`);
}

/** Throws INVALID_REQUEST for a member that this version does not know. */
export function fixOf(message: FixMessage): Fix {
  const { offset, runs } = message;
  return {
    ...(offset !== undefined && { offset }),
    ...(runs.length > 0 && { runs: runs.map(runOf) }),
    ...pictureOf(message),
  };
}

function runOf({ reference, distorted, count }: Run): Run {
  return { reference, distorted, count };
}

export function diagnosisMessage({ findings, runs, checked, fix, ...same }: Diagnosis): DiagnosisMessage {
  return create(DiagnosisSchema, {
    ...same,
    findings: findings.map(findingMessage),
    runs: [...runs],
    checked: { reference: [...checked.reference], distorted: [...checked.distorted] },
    ...(fix && { fix: fixMessage(fix) }),
  });
}
