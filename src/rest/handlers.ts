/** What each operation of api/openapi.yaml does: translate, call the service, translate back. */
import { fromJson, type JsonValue } from "@bufbuild/protobuf";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Registry } from "prom-client";
import { type ScoreRequest, ScoreRequestSchema } from "../gen/proto/svc/v1/scoring_pb.ts";
import type { components } from "../gen/rest/openapi.ts";
import { Failure } from "../platform/failure.ts";
import type { ScoringService } from "../scoring/service.ts";
import type { Description, OperationId } from "./description.ts";
import { resultBody } from "./result.ts";
import { sendPage } from "./ui.ts";

type Schemas = components["schemas"];

export interface Call {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  /** Validated; undefined for operations without a body. */
  readonly body: unknown;
}

/** The interface generated from the description: one handler for each of its operations. */
export type Handlers = Readonly<Record<OperationId, (call: Call) => FastifyReply | Promise<FastifyReply>>>;

export interface Parts {
  readonly service: ScoringService;
  readonly description: Description;
  readonly registry: Registry;
}

export function handlers({ service, description, registry }: Parts): Handlers {
  const health = ({ reply }: Call) => reply.send({ status: "ok" } satisfies Schemas["Health"]);
  const ready = ({ reply }: Call) => {
    const scorer = service.readiness();
    return reply.send({ status: "ready", scorer } satisfies Schemas["Ready"]);
  };
  return {
    score: (call) => score(service, call),
    getHealth: health,
    getHealthAlias: health,
    getReady: ready,
    getReadyAlias: ready,
    getUi: ({ reply }) => sendPage(reply),
    getSpec: ({ reply }) => reply.type("application/json; charset=utf-8").send(description.json),
    getMetrics: async ({ reply }) => reply.type(registry.contentType).send(await registry.metrics()),
  };
}

async function score(service: ScoringService, { request, reply, body }: Call): Promise<FastifyReply> {
  const message = requestOf(body);
  const result = await service.score(message, { requestId: request.id, signal: hungUp(request, reply) });
  // From here on a client that does not read must not hold the result for ever.
  request.raw.socket.setTimeout(UNREAD_LIMIT_MS, () => request.raw.socket.destroy());
  reply.raw.once("finish", () => request.raw.socket.setTimeout(0));
  return reply.type("application/json; charset=utf-8").send(resultBody(result, message.frames));
}

/** What the schema cannot say, such as half a surrogate pair in a text, is found here. */
function requestOf(body: unknown): ScoreRequest {
  try {
    return fromJson(ScoreRequestSchema, body as JsonValue);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new Failure("INVALID_REQUEST", `The request cannot be read: ${why}.`, { cause });
  }
}

/** Milliseconds that a client may leave a part of its result unread. */
const UNREAD_LIMIT_MS = 60_000;

/** Aborts when the client goes before it has its answer. */
function hungUp(request: FastifyRequest, reply: FastifyReply): AbortSignal {
  const gone = new AbortController();
  const abort = () => {
    if (!reply.raw.writableFinished) gone.abort();
  };
  request.raw.once("close", abort);
  reply.raw.once("close", abort);
  return gone.signal;
}
