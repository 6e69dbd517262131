/** POST /v1/jobs:cancel and :delete: many jobs in one request, with progress events on request. */
import type { FastifyReply } from "fastify";
import type { JobOperations } from "../../controller/api/operations.ts";
import { CancelJobsRequestSchema, DeleteJobsRequestSchema } from "../../gen/proto/svc/v1/job_pb.ts";
import type { components, operations } from "../../gen/rest/controller.ts";
import type { Call } from "../contract/handlers.ts";
import { readMessage } from "../contract/message.ts";
import { required } from "../contract/required.ts";
import { prefers } from "../http/accept.ts";
import { contextOf } from "../http/context.ts";
import { EVENT_STREAM, type EventText, eventTexts } from "../http/event-texts.ts";

type Schemas = components["schemas"];

export function cancelJobs(jobs: JobOperations, call: Call<operations["cancelJobs"]>): Promise<FastifyReply> {
  const request = readMessage(CancelJobsRequestSchema, call.body);
  const progress = async function* () {
    for await (const { matched, cancelled } of jobs.cancelJobs(request, contextOf(call)))
      yield { matched, cancelled } satisfies Schemas["CancelJobsResult"];
  };
  return answerTo(call, progress());
}

export function deleteJobs(jobs: JobOperations, call: Call<operations["deleteJobs"]>): Promise<FastifyReply> {
  const request = readMessage(DeleteJobsRequestSchema, call.body);
  const progress = async function* () {
    for await (const { matched, deleted } of jobs.deleteJobs(request, contextOf(call)))
      yield { matched, deleted } satisfies Schemas["DeleteJobsResult"];
  };
  return answerTo(call, progress());
}

/** Responds with the final state, or with an event for each step. */
async function answerTo(
  { request, reply, caller }: Call<operations["cancelJobs"] | operations["deleteJobs"]>,
  progress: AsyncIterable<object>,
): Promise<FastifyReply> {
  request.entry?.started();
  if (prefers("text/event-stream", request.headers.accept)) {
    const texts = await eventTexts(eventsOf(progress), request.id, caller.gone);
    reply.headers(EVENT_STREAM);
    return caller.send(texts);
  }
  let last: object | undefined;
  for await (const step of progress) last = step;
  return reply.send(required(last, "progress"));
}

async function* eventsOf(progress: AsyncIterable<object>): AsyncGenerator<EventText> {
  let last: object | undefined;
  for await (const data of progress) {
    yield { name: "progress", data };
    last = data;
  }
  yield { name: "done", data: required(last, "progress") };
}
