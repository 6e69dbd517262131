/** Streams the per-frame scores of a job. At most a few chunks are in memory. */

import type { StoredPart } from "../../engine/contract/work.ts";
import { metricsOf, ownRows } from "../../engine/results/parts.ts";
import type { GetJobFramesRequest } from "../../gen/proto/svc/v1/job_pb.ts";
import { Failure } from "../../platform/failure.ts";
import type { JobRow } from "../../store/contract/job-records.ts";
import type { JobStore } from "../../store/contract/job-store.ts";
import { ownJob, ownScoredJob } from "../api/access.ts";
import type { FramePart, FrameValues } from "../api/operations.ts";
import { readSpec, sampleOf } from "../requests/job-spec.ts";
import type { ResultReader } from "../results/reader.ts";
import { ScoreReader } from "../results/scores.ts";

/** The frames that are still to be returned. */
interface Wanted {
  /** Number of the next frame. */
  from: number;
  left: number;
}

/** Reads each chunk when it is requested; take its rows before requesting the next one. Throws Failure. */
export async function* jobFrames(
  { store, results }: { readonly store: JobStore; readonly results: ResultReader },
  tenant: string,
  request: GetJobFramesRequest,
): AsyncGenerator<FramePart> {
  const job = await ownScoredJob(store, tenant, request.id);
  const reader = new ScoreReader(results, job.id);
  const wanted: Wanted = { from: request.firstFrame, left: request.frameCount || Number.POSITIVE_INFINITY };
  while (wanted.left > 0) {
    const [part] = await store.parts(tenant, job.id, wanted.from, 1);
    if (part === undefined) break;
    for await (const chunk of reader.read(part.chunks)) {
      const read = { segment: part.segment, chunks: [chunk] };
      yield { metrics: metricsOf(read), rows: () => rowsOf(read, wanted) };
      if (wanted.left === 0) return;
    }
    const end = part.firstFrame + part.frameCount;
    if (end <= wanted.from) break;
    wanted.from = end;
  }
  if (wanted.left > 0) await checkStill(store, tenant, job);
}

/**
 * Checks that the scores were not deleted while they were read, because they would look complete. Throws JOB_NOT_FOUND,
 * JOB_RESTARTED.
 */
async function checkStill(store: JobStore, tenant: string, { id, ...before }: JobRow): Promise<void> {
  const now = await ownJob(store, id, (own) => store.job(tenant, own));
  const isSampled = sampleOf(readSpec(before.spec)) !== undefined;
  // A sample gets more segments without being replaced.
  const replaced =
    before.segmentsTotal > 0 &&
    (isSampled ? now.segmentsTotal < before.segmentsTotal : now.segmentsTotal !== before.segmentsTotal);
  if (!replaced && now.segmentsDone >= before.segmentsDone) return;
  throw new Failure(
    "JOB_RESTARTED",
    `The job ${id} restarted while its per-frame scores were read. Read them again when it has ended.`,
    { found: { jobId: id } },
  );
}

function* rowsOf(part: StoredPart, wanted: Wanted): Generator<FrameValues> {
  const { from } = wanted;
  for (const row of ownRows(part)) {
    if (wanted.left === 0) return;
    if (row.frame < from) continue;
    wanted.left--;
    yield row;
  }
}
