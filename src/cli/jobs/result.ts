/** A score as the controller keeps it, in the form in which reports and charts take it. */
import type { Connection } from "../../client/connection.ts";
import { FrameTable } from "../../engine/frames.ts";
import { type Job, JobService } from "../../gen/proto/svc/v1/job_pb.ts";
import type { FrameScore } from "../../gen/proto/svc/v1/scoring_pb.ts";
import { Failure } from "../../platform/failure.ts";
import { type ReportOptions, report } from "../report.ts";
import { FIRST_METRIC, type ScoreView } from "../view.ts";

export interface FrameRange {
  /** First frame wanted, from 0. */
  readonly first: number;
  /** Most frames wanted; 0: all. */
  readonly count: number;
}

const ALL_FRAMES: FrameRange = { first: 0, count: 0 };

/** The values of a job's frames, in frame order, as they come. Throws Failure. */
export async function* framesOf(
  connection: Connection,
  id: string,
  { first, count }: FrameRange,
  signal: AbortSignal,
): AsyncGenerator<readonly FrameScore[]> {
  const request = { id, firstFrame: first, frameCount: count };
  const { getJobFrames } = JobService.method;
  for await (const { frames } of connection.stream(getJobFrames, request, { signal })) {
    if (frames) yield frames.frames;
  }
}

/** The lines of the report of `svc score` about a job that succeeded. */
export async function jobReport(
  connection: Connection,
  job: Job,
  options: Pick<ReportOptions, "terminal" | "allMetrics" | "chartHeight">,
  signal: AbortSignal,
): Promise<string[]> {
  const chart = await chartSeries(connection, job.id, signal);
  const { reference = "", distorted = "", features = [] } = job.spec ?? {};
  return report(viewOf(job, chart), { ...options, names: { reference, distorted }, features });
}

/** The values that the chart shows, and nothing else: of a film there are many. */
async function chartSeries(connection: Connection, id: string, signal: AbortSignal): Promise<FrameTable> {
  const table = new FrameTable([FIRST_METRIC]);
  for await (const frames of framesOf(connection, id, ALL_FRAMES, signal)) {
    for (const { frame, metrics } of frames) table.append(frame, [metrics[FIRST_METRIC] ?? Number.NaN]);
  }
  return table;
}

/** The result of a job that succeeded. Throws Failure where a server leaves out what every result has. */
function viewOf({ id, result }: Job, frames: FrameTable): ScoreView {
  const { reference, distorted, scorer } = result ?? {};
  if (!result || !reference || !distorted || !scorer) {
    throw new Failure("INTERNAL", `The server tells no result of job ${id}, although it succeeded.`);
  }
  return { ...result, reference, distorted, scorer, frames };
}
