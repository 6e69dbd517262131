/** GET /v1/jobs:stream: changes to jobs as server-sent events, made as the client reads them. */
import { create } from "@bufbuild/protobuf";
import type { FastifyReply } from "fastify";
import type { JobOperations } from "../controller/operations.ts";
import {
  StreamJobsRequestSchema,
  type StreamJobsResponse,
  StreamJobsResponse_Kind,
} from "../gen/proto/svc/v1/job_pb.ts";
import type { operations } from "../gen/rest/controller.ts";
import { jobEventJson } from "../messages/json.ts";
import { Failure } from "../platform/failure.ts";
import { within } from "../platform/lifecycle.ts";
import { contextOf } from "./context.ts";
import type { Call } from "./handlers.ts";
import { labelsOf, statesOf } from "./jobs.ts";
import { problemOf } from "./problem.ts";

/** Milliseconds: proxies cut connections that are silent for 30 to 60 s. */
const KEEP_ALIVE_MS = 15_000;
/** Milliseconds in which what is wrong with a stream is still told by the answer's status, and not by an event. */
const FIRST_EVENT_MS = 250;

const NAMES: Readonly<Record<StreamJobsResponse_Kind, string>> = {
  [StreamJobsResponse_Kind.KIND_UNSPECIFIED]: "unknown",
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
  call.reply.headers({ "content-type": "text/event-stream; charset=utf-8", "x-accel-buffering": "no" });
  if (call.caller.headOnly) return call.reply.send("");
  call.request.entry?.started();
  const events = jobs.streamJobs(request, contextOf(call))[Symbol.asyncIterator]();
  const first = events.next();
  // A body that nobody came to read does not end what it is made of.
  call.caller.gone.addEventListener("abort", () => void events.return?.().catch(() => {}), { once: true });
  await comes(first, FIRST_EVENT_MS);
  return call.caller.send(texts(events, first, call.request.id));
}

function lastEventIdOf(header: string | readonly string[] | undefined): string {
  return typeof header === "string" ? header : "";
}

type Step = IteratorResult<StreamJobsResponse, unknown>;

/** The stream as text. What ends it is its last event, because its answer has begun. */
async function* texts(
  events: AsyncIterator<StreamJobsResponse>,
  first: Promise<Step>,
  requestId: string,
): AsyncGenerator<string> {
  try {
    yield ": jobs\n\n";
    let next = first;
    for (;;) {
      // Nobody may be here to see how it ends, when the client has left.
      next.catch(() => {});
      if (!(await comes(next, KEEP_ALIVE_MS))) {
        yield ": still here\n\n";
        continue;
      }
      const step = await next;
      if (step.done === true) return;
      yield textOf(step.value);
      next = events.next();
    }
  } catch (thrown) {
    yield `event: error\ndata: ${JSON.stringify(problemOf(Failure.from(thrown), requestId))}\n\n`;
  } finally {
    await events.return?.();
  }
}

/** False: not in that time. */
function comes(step: Promise<Step>, limitMs: number): Promise<boolean> {
  return within(limitMs, async () => void (await step));
}

/** JSON has no line breaks, and event ids none either. */
function textOf(event: StreamJobsResponse): string {
  const id = event.eventId === "" ? "" : `id: ${event.eventId}\n`;
  return `${id}event: ${NAMES[event.kind]}\ndata: ${JSON.stringify(jobEventJson(event))}\n\n`;
}
