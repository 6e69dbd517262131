/** Makes the result of a scored pair. */
import type { ScoreResult, ScorerInfo } from "./contract/result.ts";
import type { Sources } from "./files/source.ts";
import { toResult } from "./results/assemble.ts";
import { joinFindings } from "./results/findings.ts";
import { joinShots } from "./results/shots.ts";
import type { Scored } from "./scoring/score.ts";

export function resultOf(
  { plan, shots, ...scored }: Scored,
  { reference, distorted }: Sources,
  scorer: ScorerInfo,
  durationMs: number,
): Promise<ScoreResult> {
  const finished = {
    ...{ ...plan, ...scored },
    files: { reference, distorted },
    features: plan.request.features,
    segments: scored.sample?.units ?? plan.segments.length,
    findings: joinFindings(plan.repair, [scored.findings]),
    shotStarts: joinShots(shots),
  };
  return toResult(finished, scorer, durationMs);
}
