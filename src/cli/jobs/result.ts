/** Turns a job's result into the view that reports and charts use. */
import type { Connection } from "../../client/connection/connection.ts";
import { FrameTable } from "../../engine/frames/frame-table.ts";
import { type Job, JobService } from "../../gen/proto/svc/v1/job_pb.ts";
import type { FrameScore } from "../../gen/proto/svc/v1/scoring_pb.ts";
import { FIRST_METRIC } from "../../jobs/scores/metric-names.ts";
import { Failure } from "../../platform/failure.ts";
import { diagnosisReport } from "../doctor/report.ts";
import { diagnosisView } from "../doctor/view.ts";
import { findingView } from "../findings/message-view.ts";
import { type ReportOptions, report } from "../score/report.ts";
import type { ScoreView } from "../score/view.ts";
import type { Terminal } from "../terminal/terminal.ts";

export interface FrameRange {
  /** First frame, from 0. */
  readonly first: number;
  /** Number of frames at most; 0: all. */
  readonly count: number;
}

const ALL_FRAMES: FrameRange = { first: 0, count: 0 };

/** Streams a job's per-frame scores in frame order. Throws Failure. */
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

/** Returns the lines of the report for a job that succeeded: that of `svc score`, or of `svc doctor`. */
export async function jobReport(
  connection: Connection,
  job: Job,
  options: Pick<ReportOptions, "terminal" | "allMetrics" | "chartHeight">,
  signal: AbortSignal,
): Promise<string[]> {
  if (job.spec?.diagnoseOnly) return diagnosisLines(job, options.terminal);
  const chart = await chartSeries(connection, job.id, signal);
  const { reference = "", distorted = "", features = [], fix = false } = job.spec ?? {};
  return report(viewOf(job, chart), { ...options, names: { reference, distorted }, features, fix });
}

function diagnosisLines({ id, spec, diagnosis }: Job, terminal: Terminal): string[] {
  if (diagnosis === undefined) throw withoutResult(id);
  const { reference = "", distorted = "" } = spec ?? {};
  const names = { reference, distorted, command: "svc jobs submit" } as const;
  return diagnosisReport(diagnosisView(diagnosis), names, terminal);
}

function withoutResult(id: string): Failure {
  return new Failure("INTERNAL", `The server returned no result for job ${id}, although it succeeded.`);
}

/** Fetches only the metric that charts show: a film has many frames. */
export async function chartSeries(
  connection: Connection,
  id: string,
  signal: AbortSignal,
): Promise<FrameTable> {
  const table = new FrameTable([FIRST_METRIC]);
  for await (const frames of framesOf(connection, id, ALL_FRAMES, signal)) {
    for (const { frame, metrics } of frames) table.append(frame, [metrics[FIRST_METRIC] ?? Number.NaN]);
  }
  return table;
}

/** Returns the view of a job that succeeded. Throws INTERNAL if the result lacks a required field. */
function viewOf({ id, result }: Job, frames: FrameTable): ScoreView {
  const { reference, distorted, scorer } = result ?? {};
  if (!result || !reference || !distorted || !scorer) throw withoutResult(id);
  const findings = result.findings.map(findingView);
  return { ...result, reference, distorted, scorer, findings, frames };
}
