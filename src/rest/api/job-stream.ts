/** GET /v1/jobs:stream: changes of jobs as server-sent events, generated as the client reads. */
import { create } from "@bufbuild/protobuf";
import type { FastifyReply } from "fastify";
import type { JobOperations } from "../../controller/api/operations.ts";
import {
  StreamJobsRequestSchema,
  type StreamJobsResponse,
  StreamJobsResponse_Kind,
} from "../../gen/proto/svc/v1/job_pb.ts";
import type { operations } from "../../gen/rest/controller.ts";
import { jobEventJson } from "../../messages/json.ts";
import type { Call } from "../contract/handlers.ts";
import { contextOf } from "../http/context.ts";
import { EVENT_STREAM, type EventText, eventTexts } from "../http/event-texts.ts";
import { labelsOf, statesOf } from "./jobs.ts";

const NAMES: Readonly<Partial<Record<StreamJobsResponse_Kind, string>>> = {
  [StreamJobsResponse_Kind.SNAPSHOT]: "snapshot",
  [StreamJobsResponse_Kind.SNAPSHOT_END]: "snapshotEnd",
  [StreamJobsResponse_Kind.CHANGE]: "change",
  [StreamJobsResponse_Kind.DELETED]: "deleted",
};

export async function streamJobs(
  jobs: JobOperations,
  call: Call<operations["streamJobs"]>,
): Promise<FastifyReply> {
  const { id = [], state, label } = call.query;
  const request = create(StreamJobsRequestSchema, {
    ids: [...id],
    states: statesOf(state),
    labels: labelsOf(label),
    afterEventId: lastEventIdOf(call.request.headers["last-event-id"]),
  });
  call.reply.headers(EVENT_STREAM);
  if (call.caller.headOnly) return call.reply.send("");
  call.request.entry?.started();
  const events = eventTextsOf(jobs.streamJobs(request, contextOf(call)));
  return call.caller.send(await eventTexts(events, call.request.id, call.caller.gone));
}

function lastEventIdOf(header: string | readonly string[] | undefined): string {
  return typeof header === "string" ? header : "";
}

async function* eventTextsOf(events: AsyncIterable<StreamJobsResponse>): AsyncGenerator<EventText> {
  for await (const event of events) {
    yield { id: event.eventId, name: NAMES[event.kind] ?? "unknown", data: jobEventJson(event) };
  }
}
