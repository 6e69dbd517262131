/** GET /v1/jobs/{id}/frames: per-frame values as JSON or CSV, read from the store as the client reads. */
import { create } from "@bufbuild/protobuf";
import type { FastifyReply } from "fastify";
import type { JobOperations } from "../controller/operations.ts";
import { GetJobFramesRequestSchema } from "../gen/proto/svc/v1/job_pb.ts";
import type { operations } from "../gen/rest/controller.ts";
import { contextOf } from "./context.ts";
import { begun, csvOfFrames, jsonWithFrames } from "./frames.ts";
import type { Call } from "./handlers.ts";

export async function getJobFrames(
  jobs: JobOperations,
  call: Call<operations["getJobFrames"]>,
): Promise<FastifyReply> {
  const { firstFrame = 0, frameCount = 0, format } = call.query;
  const request = create(GetJobFramesRequestSchema, { id: call.params.id, firstFrame, frameCount });
  const parts = await begun(jobs.getJobFrames(request, contextOf(call)));
  const csv = format === undefined ? prefersCsv(call.request.headers.accept) : format === "csv";
  if (csv) {
    call.reply.type("text/csv; charset=utf-8; header=present");
    return call.caller.send(csvOfFrames(parts));
  }
  call.reply.type("application/json; charset=utf-8");
  return call.caller.send(jsonWithFrames("{}", parts));
}

/** Whether an Accept header (RFC 9110) wants text/csv more than application/json; equal wishes get JSON. */
function prefersCsv(accept = ""): boolean {
  const wishes = accept.split(",").map((range) => {
    const [type = "", ...parameters] = range.split(";").map((part) => part.trim().toLowerCase());
    const quality = parameters.find((parameter) => parameter.startsWith("q="));
    return { type, quality: quality === undefined ? 1 : Number(quality.slice(2)) || 0 };
  });
  const wish = (...types: readonly string[]) => {
    const named = types.map((type) => wishes.find((each) => each.type === type));
    return named.find((found) => found !== undefined)?.quality ?? 0;
  };
  return wish("text/csv", "text/*", "*/*") > wish("application/json", "application/*", "*/*");
}
