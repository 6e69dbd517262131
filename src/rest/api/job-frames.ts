/** GET /v1/jobs/{id}/frames: per-frame scores as JSON or CSV, read from the store as the client reads. */
import { create } from "@bufbuild/protobuf";
import type { FastifyReply } from "fastify";
import type { JobOperations } from "../../controller/api/operations.ts";
import { GetJobFramesRequestSchema, GetJobRequestSchema } from "../../gen/proto/svc/v1/job_pb.ts";
import type { operations } from "../../gen/rest/controller.ts";
import { scoredRate } from "../../jobs/frame-rate.ts";
import type { Call } from "../contract/handlers.ts";
import { prefers } from "../http/accept.ts";
import { contextOf } from "../http/context.ts";
import { csvOfFrames, jsonWithFrames, started } from "./frames.ts";

export async function getJobFrames(
  jobs: JobOperations,
  call: Call<operations["getJobFrames"]>,
): Promise<FastifyReply> {
  const { firstFrame = 0, frameCount = 0, format } = call.query;
  const request = create(GetJobFramesRequestSchema, { id: call.params.id, firstFrame, frameCount });
  const parts = await started(jobs.getJobFrames(request, contextOf(call)));
  const { accept } = call.request.headers;
  const csv = format === undefined ? prefers("text/csv", accept) : format === "csv";
  if (csv) {
    const { job } = await jobs.getJob(create(GetJobRequestSchema, { id: call.params.id }), contextOf(call));
    call.reply.type("text/csv; charset=utf-8; header=present");
    return call.caller.send(csvOfFrames(parts, scoredRate(job?.result ?? job?.plan ?? {})));
  }
  call.reply.type("application/json; charset=utf-8");
  return call.caller.send(jsonWithFrames("{}", parts));
}
