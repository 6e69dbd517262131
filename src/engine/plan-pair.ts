/** Plans a pair as its request asks: repairs it, or examines it before a sample of it is scored. */
import { isLookedFor } from "./contract/findings-policy.ts";
import { withFix } from "./contract/fix.ts";
import type { PairRequest } from "./contract/request.ts";
import { diagnose } from "./doctor/diagnose.ts";
import { inspect } from "./doctor/inspect.ts";
import type { Sources } from "./files/source.ts";
import { wholeSegment } from "./planning/cut.ts";
import { type Plan, type PlanOptions, plan, probeBoth } from "./planning/plan.ts";
import { findingWarnings } from "./results/findings.ts";
import { type Look, lookAhead } from "./scoring/look.ts";

/**
 * Plans a pair. If only a sample of it will be scored, also examines its beginning, because the units of a
 * sample are too short to examine.
 */
export async function planPair(sources: Sources, request: PairRequest, options: PlanOptions): Promise<Plan> {
  const planned = await repaired(sources, request, options);
  const look = looking(request);
  if (options.segmentLength !== "units" || planned.whole !== undefined || look === undefined) return planned;
  const segment = wholeSegment(planned.pairing);
  const findings = await lookAhead({ ...planned, sources, segment }, look, options);
  const { pairing } = planned;
  return {
    ...planned,
    pairing: { ...pairing, warnings: [...pairing.warnings, ...findingWarnings(findings)] },
  };
}

/** Plans a pair. If the request asks for it, the pair is diagnosed first, and its certain findings are repaired. */
async function repaired(sources: Sources, request: PairRequest, options: PlanOptions): Promise<Plan> {
  const { ffmpeg } = options;
  if (request.fix !== true || ffmpeg === undefined) return plan(sources, request, options);
  const tracks = await probeBoth(sources, request, options);
  const { fix, findings } = await diagnose(sources, tracks, { ...options, ffmpeg });
  if (fix === undefined) return plan(sources, request, options);
  const certain = findings.filter((finding) => finding.fix && finding.confidence === "certain");
  const planned = await plan(sources, withFix(request, fix), options);
  return { ...planned, repair: { fix, findings: certain } };
}

/** Returns the examination of pictures that a request wants; undefined: it ignores all findings. */
export function looking({ findings }: PairRequest): Look | undefined {
  return isLookedFor(findings) ? inspect : undefined;
}
