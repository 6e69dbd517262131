/**
 * Examines the frames that the scorer compares, to find faults that make the score wrong, and applies the request's
 * policy.
 */
import { Failure } from "../../platform/failure.ts";
import type { Finding, FindingCode } from "../contract/finding.ts";
import { actionOn, refuses } from "../contract/findings-policy.ts";
import { isFixedFromBeginning, isSettled, joinedFix } from "../contract/fix.ts";
import type { Remedy } from "../contract/remedy.ts";
import { type PairRequest, perSide } from "../contract/request.ts";
import type { DecodeContext } from "../media/probe-context.ts";
import { byGravity } from "../results/findings.ts";
import type { Looked } from "../scoring/look.ts";
import { examine, findingsOf, lower } from "./examine.ts";
import { hdrFindings, modelSizeFindings } from "./fitness.ts";
import { keyFramesWithin } from "./time/key-frames.ts";

/** Returns the findings, the gravest first. Throws PAIR_MISMATCH if the policy refuses a finding. */
export async function inspect(looked: Looked, context: DecodeContext): Promise<readonly Finding[]> {
  const { request, span, pictures, segment, pairing, tracks, models } = looked;
  const pair = { ...looked, context, firstPicture: span.first };
  const seen = {
    first: segment.first - segment.before + span.first,
    counts: perSide((side) => pictures[side].count),
    totals: perSide((side) => (pairing.runs ? pairing.frameCount : pairing.counts[side])),
  };
  const isNumbered = pairing.runs === undefined && pairing.thin === undefined;
  const shown = { first: seen.first, count: pictures.distorted.count };
  const keys = isNumbered ? keyFramesWithin(tracks.distorted, shown) : undefined;
  const examination = await examine(pair, { pictures, ratio: 1, keys }, async () => looked.fields);
  const all = byGravity([
    ...findingsOf(examination, seen),
    ...hdrFindings(tracks, models),
    ...modelSizeFindings(pairing, models),
  ]);
  const kept = all.flatMap((finding) => applied(finding, request));
  const refused = kept.filter((finding) => refuses(finding, request.findings));
  if (refused.length > 0) throw mismatch({ refused, findings: kept, request, isBeginning: seen.first === 0 });
  return kept;
}

/**
 * Applies the request's policy to a finding. Ignored findings are removed, and a finding about something that the
 * request itself sets is not refused.
 */
function applied(finding: Finding, request: PairRequest): Finding[] {
  if (actionOn(finding.code, request.findings) === "IGNORE") return [];
  if (!isSettled(request, finding.code)) return [finding];
  const { fix: _, ...rest } = finding;
  return [{ ...rest, confidence: lower(finding.confidence) }];
}

interface Mismatch {
  readonly refused: readonly Finding[];
  /** All findings, including those that are not refused. */
  readonly findings: readonly Finding[];
  readonly request: PairRequest;
  /** Whether the first frames of the videos were examined. */
  readonly isBeginning: boolean;
}

/** Advice for findings that no option repairs. For all others, the advice is to state which frames to compare. */
const OTHER_ADVICE: Readonly<Partial<Record<FindingCode, string>>> = {
  OTHER_CONTENT: "Compare other videos",
  TRANSFER_DIFFERS: "Convert one of the files first",
};

/**
 * The failure of a pair that does not match. Its remedy does not depend on the segment, because it is a matter of
 * chance which segment is scored first.
 */
function mismatch({ refused, findings, request, isBeginning }: Mismatch): Failure {
  const [first] = refused;
  const fix = refused.every((finding) => finding.fix) ? joinedFix(refused) : undefined;
  const canBeFixed = refused.every(({ code, fix }) => fix || (!isBeginning && isFixedFromBeginning(code)));
  const isAdvised = canBeFixed && request.fix !== true;
  const remedy: Remedy = isAdvised ? { option: "fix", value: true } : { option: "findings", value: "WARN" };
  const other = (first && OTHER_ADVICE[first.code]) ?? "Say with runs which frames to compare";
  const advice = isAdvised ? "Set fix to true to score what was meant" : other;
  const detail = `${first?.evidence} (${first?.code}) ${advice}, or set findings to WARN to score the pair as it is.`;
  return new Failure("PAIR_MISMATCH", detail, {
    found: { findings, ...(fix && { fix }), remedy },
  });
}
