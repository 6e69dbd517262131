/** Converts jobs of the store to protocol messages. */
import { create, fromJsonString, type JsonObject } from "@bufbuild/protobuf";
import { timestampFromDate, timestampFromMs } from "@bufbuild/protobuf/wkt";
import {
  type Job,
  Job_State,
  type JobError,
  JobErrorSchema,
  JobEstimateSchema,
  type JobReuse,
  JobReuseSchema,
  JobSchema,
  type JobWork,
  JobWork_Kind,
  JobWork_State,
  JobWorkSchema,
  type MediaFetch,
  MediaFetchSchema,
  type MediaSummary,
  MediaSummarySchema,
} from "../../gen/proto/svc/v1/job_pb.ts";
import {
  type Diagnosis,
  DiagnosisSchema,
  type ScoreProgress,
  ScoreProgressSchema,
  type ScoreResult,
  ScoreResultSchema,
} from "../../gen/proto/svc/v1/scoring_pb.ts";
import { paceOf } from "../../jobs/pace.ts";
import { isTerminal, JOB_TRANSITIONS } from "../../jobs/states.ts";
import { gateMessage } from "../../messages/gate.ts";
import { isObject } from "../../platform/json.ts";
import type {
  FetchProgress,
  JobDetail,
  JobRow,
  MediaFacts,
  StoredError,
  WorkRow,
} from "../../store/contract/job-records.ts";
import { gatesOf } from "../requests/gates.ts";
import { readSpec } from "../requests/job-spec.ts";
import { planMessage } from "./plan.ts";

/** Converts a job without plan, result and tasks. `now`: milliseconds since 1970, for the pace of a running job. */
export function jobMessage(job: JobRow, now = Date.now()): Job {
  const progress = progressOf(job, now);
  const spec = readSpec(job.spec);
  return create(JobSchema, {
    id: job.id,
    tenantId: job.tenant,
    spec,
    state: Job_State[job.state],
    ...(progress && { progress }),
    segmentsTotal: job.segmentsTotal,
    segmentsDone: job.segmentsDone,
    retries: job.retries,
    createTime: timestampFromDate(job.createdAt),
    ...(job.startedAt && { startTime: timestampFromDate(job.startedAt) }),
    ...(job.endedAt && { endTime: timestampFromDate(job.endedAt) }),
    ...(job.score !== undefined && { score: job.score }),
    ...(job.error && { error: errorMessage(job.error) }),
    ...(job.estimate && { estimate: create(JobEstimateSchema, job.estimate) }),
    ...(job.finishes !== undefined && { finishes: job.finishes }),
    submittedBy: job.submittedBy,
    revision: job.revision,
    ...(job.media && { distortedMedia: mediaMessage(job.media) }),
    ...(job.scorer && { scorer: job.scorer }),
    ...(job.reuse && { reuse: reuseMessage(job.reuse) }),
    gates: job.gates?.map(gateMessage) ?? gatesOf(spec).map((gate) => gateMessage({ gate })),
    ...(job.fetch && job.state === "RUNNING" && { fetch: fetchMessage(job.fetch) }),
  });
}

function reuseMessage({ segments, answer }: NonNullable<JobRow["reuse"]>): JobReuse {
  const answered = answer && { jobId: answer.jobId, scoredTime: timestampFromDate(answer.endedAt) };
  return create(JobReuseSchema, { segments, ...answered });
}

function fetchMessage({ done, total }: FetchProgress): MediaFetch {
  return create(MediaFetchSchema, { bytesDone: done, bytesTotal: total });
}

export function mediaMessage({ videoBitRate, ...facts }: MediaFacts): MediaSummary {
  return create(MediaSummarySchema, { ...facts, ...(videoBitRate !== undefined && { videoBitRate }) });
}

/** Converts a job with its tasks, its expiry and, where they exist, its plan, result or diagnosis. */
export function jobDetailMessage({ job, plan, result, work }: JobDetail, retentionMs: number): Job {
  const message = jobMessage(job);
  if (job.endedAt) message.expireTime = timestampFromMs(job.endedAt.getTime() + retentionMs);
  const planned = plan === undefined ? undefined : planMessage(plan);
  if (planned !== undefined) message.plan = planned;
  if (result !== undefined && message.spec?.diagnoseOnly) message.diagnosis = readDiagnosis(result);
  else if (result !== undefined) message.result = readResult(result);
  message.work = work.map(workMessage);
  return message;
}

function readDiagnosis(text: string): Diagnosis {
  return fromJsonString(DiagnosisSchema, text, { ignoreUnknownFields: true });
}

/** Parses a stored result. */
export function readResult(text: string): ScoreResult {
  return fromJsonString(ScoreResultSchema, text, { ignoreUnknownFields: true });
}

export function workMessage(work: WorkRow): JobWork {
  return create(JobWorkSchema, {
    kind: JobWork_Kind[work.kind],
    state: JobWork_State[work.state],
    firstFrame: work.firstFrame,
    frameCount: work.frameCount,
    frames: [...work.frames],
    ...(work.clipFrame !== undefined && { clipFrame: work.clipFrame }),
    attempt: work.attempt,
    node: work.nodeName,
    ...(work.startedAt && { startTime: timestampFromDate(work.startedAt) }),
    ...(work.endedAt && { endTime: timestampFromDate(work.endedAt) }),
    ...(work.reusedFrom !== undefined && { reusedFrom: work.reusedFrom }),
  });
}

function progressOf(job: JobRow, now: number): ScoreProgress | undefined {
  const { framesTotal, framesDone, startedAt, endedAt } = job;
  if (framesTotal === undefined) return undefined;
  const elapsed = startedAt ? (endedAt?.getTime() ?? now) - startedAt.getTime() : 0;
  const ended = isTerminal(JOB_TRANSITIONS, job.state);
  const { fps, secondsLeft } = paceOf(framesDone, framesTotal, elapsed, ended);
  const left = secondsLeft === undefined ? {} : { secondsLeft };
  return create(ScoreProgressSchema, { framesDone, framesTotal, fps, ...left });
}

export function errorMessage({ code, message, found }: StoredError): JobError {
  return create(JobErrorSchema, { code, message, ...(isObject(found) && { found: found as JsonObject }) });
}
