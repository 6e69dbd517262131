/** POST /v1/score of the controller: submits a job and waits for its result. */
import { create } from "@bufbuild/protobuf";
import type { FastifyReply } from "fastify";
import type { CallContext, JobOperations } from "../../controller/api/operations.ts";
import {
  GetJobFramesRequestSchema,
  GetJobRequestSchema,
  JobSpecSchema,
  SubmitJobRequestSchema,
} from "../../gen/proto/svc/v1/job_pb.ts";
import type { ScoreResult } from "../../gen/proto/svc/v1/scoring_pb.ts";
import type { operations } from "../../gen/rest/controller.ts";
import { jobJson, resultJson } from "../../messages/json.ts";
import { Failure } from "../../platform/failure.ts";
import type { JsonObject } from "../../platform/json.ts";
import type { Call } from "../contract/handlers.ts";
import { readMessage } from "../contract/message.ts";
import { required } from "../contract/required.ts";
import { contextOf } from "../http/context.ts";
import { preferencesOf } from "../http/preferences.ts";
import { jsonWithFrames, started } from "./frames.ts";
import { idempotencyKeyOf, locationOf } from "./jobs.ts";

type ScoreCall = Call<operations["score"]>;

export async function scoreJob(
  jobs: JobOperations,
  scoreTimeoutMs: number,
  call: ScoreCall,
): Promise<FastifyReply> {
  // A score request is a job spec plus the option `frames`.
  const { frames, ...spec } = call.body as JsonObject;
  const { respondAsync, waitMs } = preferencesOf(call.request.headers["prefer"]);
  const idempotencyKey = idempotencyKeyOf(call.request.headers["idempotency-key"]);
  const context = contextOf(call);
  const job = readMessage(JobSpecSchema, spec);
  const request = create(SubmitJobRequestSchema, { job, idempotencyKey });
  const stored = await jobs.submitAwaited(request, { resultOnly: !respondAsync }, context);
  const jobId = required(stored.job, "job").id;
  const limitMs = respondAsync ? Math.min(waitMs, scoreTimeoutMs) : scoreTimeoutMs;
  // A client with a key intends to retry with it if the connection breaks, so the job is kept.
  const options = { waitMs: limitMs, keep: respondAsync || idempotencyKey !== "" };
  const waited = await jobs.waitForJob(jobId, options, context).catch((thrown: unknown) => {
    if (respondAsync && Failure.from(thrown).code === "SHUTTING_DOWN") return { done: false } as const;
    throw endedByOthers(thrown, jobId, context);
  });
  if (waited.done) return sendResult(jobs, call, jobId, waited.result, frames === true);
  if (respondAsync) return sendAccepted(jobs, call, jobId);
  throw new Failure(
    "SCORE_TIMEOUT",
    `The score takes longer than ${scoreTimeoutMs / 1000} s. The job continues: see ${locationOf(jobId)}.`,
    { found: { jobId } },
  );
}

/** If the client is still connected, somebody else cancelled the job. */
function endedByOthers(thrown: unknown, jobId: string, { signal }: CallContext): Failure {
  const failure = Failure.from(thrown);
  if (failure.code !== "SCORE_CANCELLED" || signal.aborted) return failure;
  return new Failure("JOB_CANCELLED", "The job was cancelled before it was scored.", {
    found: { jobId },
    cause: thrown,
  });
}

async function sendResult(
  jobs: JobOperations,
  call: ScoreCall,
  jobId: string,
  result: ScoreResult,
  withFrames: boolean,
): Promise<FastifyReply> {
  const head = JSON.stringify(resultJson(result));
  const type = "application/json; charset=utf-8";
  if (!withFrames) return call.reply.type(type).send(head);
  const request = create(GetJobFramesRequestSchema, { id: jobId });
  const parts = await started(jobs.getJobFrames(request, contextOf(call)));
  call.reply.type(type);
  return call.caller.send(jsonWithFrames(head, parts));
}

async function sendAccepted(jobs: JobOperations, call: ScoreCall, jobId: string): Promise<FastifyReply> {
  const { job } = await jobs.getJob(create(GetJobRequestSchema, { id: jobId }), contextOf(call));
  return call.reply
    .code(202)
    .headers({ location: locationOf(jobId), "preference-applied": "respond-async" })
    .send(jobJson(required(job, "job")));
}
