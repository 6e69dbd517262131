/** Makes the stills and clips that a worker requests, by the plan and the segments of their job. */
import type { Clip, ClipWork, Still, StillsWork } from "../contract/work.ts";
import { withParts } from "../coverage/fetch.ts";
import type { Opening, Sources } from "../files/source.ts";
import type { ProbeContext } from "../media/probe-context.ts";
import { wholeSegment } from "../planning/cut.ts";
import { readPlan } from "../planning/plan-json.ts";
import { plannedRequest, refuseOtherRequest, resumePlan } from "../planning/resume.ts";
import { readSegment } from "../planning/segment-json.ts";
import { makeClip } from "./clip.ts";
import type { ClipPart } from "./clip-arguments.ts";
import { makeStills } from "./still.ts";

export async function stillsOf(work: StillsWork, opening: Opening, context: ProbeContext): Promise<Still[]> {
  return withPlans(work, opening, context, async (parts, sources) => {
    const stills: Still[] = [];
    for (const { plan, segment, frames } of parts)
      stills.push(...(await makeStills(plan, segment, frames, sources, context)));
    return stills;
  });
}

export async function clipOf(work: ClipWork, opening: Opening, context: ProbeContext): Promise<Clip> {
  return withPlans(work, opening, context, (parts, sources) => makeClip(work.frame, parts, sources, context));
}

async function withPlans<T>(
  { plan: text, parts, ...work }: StillsWork,
  opening: Opening,
  context: ProbeContext,
  make: (parts: readonly ClipPart[], sources: Sources) => Promise<T>,
): Promise<T> {
  const facts = readPlan(text);
  const request = plannedRequest(facts, work.request);
  refuseOtherRequest(facts, request);
  const segments = parts.map(({ segment }) =>
    segment === undefined ? wholeSegment(facts.pairing) : readSegment(segment),
  );
  const needed = { opening, parts: segments.map((segment) => segment.coverages ?? {}) };
  return withParts(request, needed, context, async (sources) => {
    const planned: ClipPart[] = [];
    for (const [index, segment] of segments.entries()) {
      // Pictures need no model.
      const plan = await resumePlan(facts, segment, request, sources, []);
      planned.push({ plan, segment, frames: parts[index]?.frames ?? [] });
    }
    return make(planned, sources);
  });
}
