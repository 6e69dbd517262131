/**
 * Identifies everything except the programs that the scores, findings and shots of a segment depend on: equal keys mean
 * equal scores. Everything that might matter is part of the key, so that in doubt a segment is scored again instead of
 * getting wrong scores.
 */
import { hash } from "node:crypto";
import { perSide } from "../contract/request.ts";
import type { ScorerInfo } from "../contract/result.ts";
import type { Plan } from "../planning/plan.ts";
import { writePlan } from "../planning/plan-json.ts";
import { writeSegment } from "../planning/segment-json.ts";

/**
 * Increment this with every change of svc that can give equal pictures other scores, findings, shots or
 * refusals.
 */
const REVISION = 3;

const NO_FILE = { size: 0, modifiedMs: 0 };

/**
 * Returns the key of each segment of a plan, undefined for one whose content is not known.
 *
 * @param seen what findings depend on besides the frames of their segment
 */
export function reuseKeys(plan: Plan, scorer: ScorerInfo, seen: string): readonly (Uint8Array | undefined)[] {
  const { reference: _, distorted: __, ...request } = plan.request;
  // Facts that change with the frames of other segments are left out.
  const tracks = perSide((side) => ({ ...plan.tracks[side], videoBytes: 0 }));
  const facts = writePlan({ ...plan, tracks }, { reference: NO_FILE, distorted: NO_FILE }, scorer);
  const pair = JSON.stringify([REVISION, request, facts, seen]);
  return plan.segments.map((segment, index) => {
    const content = plan.contents?.[index];
    if (content === undefined) return undefined;
    // The position of the packets in the file does not affect scores.
    const text = writeSegment({ ...segment, coverages: undefined });
    return hash("sha256", JSON.stringify([pair, text, content]), "buffer");
  });
}
