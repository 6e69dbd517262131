/** What each operation of api/openapi.yaml does: translate, call the service, translate back. */
import type { Socket } from "node:net";
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
  using caller = new Caller(request.raw.socket);
  const result = await service.score(message, { requestId: request.id, signal: caller.gone });
  caller.mustRead(reply);
  return await reply.type("application/json; charset=utf-8").send(resultBody(result, message.frames));
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

/**
 * The client at the other end of a connection. Its going is seen on the socket and not on
 * the answer, because an answer that waits behind an earlier one (pipelining) has no socket yet.
 */
class Caller implements Disposable {
  readonly #socket: Socket;
  readonly #gone = new AbortController();
  readonly #abort = () => this.#gone.abort();

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.once("close", this.#abort);
    if (socket.destroyed) this.#gone.abort();
  }

  /** Aborts when the client hangs up. */
  get gone(): AbortSignal {
    return this.#gone.signal;
  }

  /** From here on a client that does not read is cut off, so that it cannot hold its result for ever. */
  mustRead(reply: FastifyReply): void {
    const cut = () => this.#socket.destroy();
    this.#socket.setTimeout(UNREAD_LIMIT_MS, cut);
    // Before Node's own listener, which sets the time that the connection may idle from here on.
    reply.raw.prependOnceListener("finish", () => {
      this.#socket.off("timeout", cut);
      this.#socket.setTimeout(0);
    });
  }

  [Symbol.dispose](): void {
    this.#socket.off("close", this.#abort);
  }
}
