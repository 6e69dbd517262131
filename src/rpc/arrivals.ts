/**
 * The HTTP/2 side of a call, which grpc-js shows to nobody: the headers as they were sent, how much of the request
 * has come, and an end for those that leave theirs open.
 */
import type { IncomingHttpHeaders, ServerHttp2Session, ServerHttp2Stream } from "node:http2";
import type { Socket } from "node:net";
import type { Connections } from "../platform/connections.ts";
import { Failure } from "../platform/failure.ts";
import { followSession } from "../platform/http2-session.ts";
import { type KeepAliveLimits, Pings } from "../platform/keep-alive.ts";
import { MOST_HEADER_BYTES } from "../platform/transport-limits.ts";
import { AuthenticationDeadline } from "./authentication-deadline.ts";
import type { Unfinished, UnfinishedRequest } from "./unfinished.ts";

/** The address of calls of methods that there are not, so that they pass the gate as all others. */
export const UNMATCHED = "/unmatched";
/** Milliseconds that an answer may take to leave. */
const LEAVE_MS = 15_000;
/** Milliseconds between two looks whether an answer has left. */
const ANSWERED_EVERY_MS = 20;

export interface Arrival {
  /** Value of `authorization`, of several all as a list; undefined: there is none. */
  readonly authorization: string | undefined;
  /** Why the call is refused whoever calls. */
  readonly fault: Failure | undefined;
  /** Ends the call with a failure, once there is a call. */
  onFailure: (failure: Failure) => void;
  /** It is known that a tenant calls. */
  know(tenant: string): void;
}

export interface ArrivalOptions {
  readonly connections: Connections;
  readonly unfinished: Unfinished;
  readonly keepAlive: KeepAliveLimits;
  /** Whether there is a method of that path. */
  readonly has: (path: string) => boolean;
}

export class Arrivals {
  readonly #options: ArrivalOptions;
  /** Of the call that grpc-js is making this very moment. */
  #current: Arrival | undefined;

  constructor(options: ArrivalOptions) {
    this.#options = options;
  }

  /** For interceptors, which are made with their call. */
  get current(): Arrival {
    if (this.#current === undefined) throw new TypeError("a call came in unseen");
    return this.#current;
  }

  /** Watches the calls on a connection, which grpc-js must not have yet. */
  watch(socket: Socket): void {
    const deadline = new AuthenticationDeadline(socket);
    followSession(socket, (opened) => {
      const session = opened as ServerHttp2Session;
      deadline.opened(session);
      session.settings({ maxHeaderListSize: MOST_HEADER_BYTES });
      const know = (tenant: string) => {
        if (deadline.met() && !session.destroyed) this.#options.connections.know(socket, tenant);
      };
      session.prependListener("stream", (stream, headers, _flags, raw) => {
        this.#current = this.#arrivalOf(stream, raw, know);
        stream.once("close", this.#options.connections.begin(socket));
        this.#hideUnmatched(headers);
      });
      // After grpc-js has made the call.
      session.on("stream", () => {
        this.#current = undefined;
      });
      const pings = new Pings(session, socket, this.#options.keepAlive);
      return (stream) => pings.add(stream);
    });
  }

  #hideUnmatched(headers: IncomingHttpHeaders): void {
    if (!this.#options.has(headers[":path"] ?? "")) headers[":path"] = UNMATCHED;
  }

  #arrivalOf(stream: ServerHttp2Stream, raw: readonly string[], know: (tenant: string) => void): Arrival {
    // Whether it fails or is left: grpc-js sees that as well, and nobody may be without a listener.
    stream.on("error", () => {});
    const arrival: Arrival = {
      authorization: authorizationOf(raw),
      fault: bytesOf(raw) > MOST_HEADER_BYTES ? headersTooLarge() : undefined,
      onFailure: () => stream.close(),
      know: (tenant: string) => {
        request.know(tenant);
        know(tenant);
      },
    };
    const request: UnfinishedRequest = this.#options.unfinished.begin((failure) =>
      arrival.onFailure(failure),
    );
    follow(stream, request);
    return arrival;
  }
}

/** Counts what comes of a request, and ends the stream with its answer, whatever else its client would send. */
function follow(stream: ServerHttp2Stream, request: UnfinishedRequest): void {
  stream.on("data", (bytes: Uint8Array) => request.add(bytes.length));
  stream.once("end", () => request.done());
  stream.once("close", () => request.done());
  stream.once("finish", () => {
    if (!stream.readableEnded) setImmediate(closeAnswered, stream, performance.now() + LEAVE_MS);
  });
}

/**
 * RFC 9113, 8.1: NO_ERROR after a whole answer says that the rest is not needed. It must not be said before
 * the answer has left: what has not is dropped.
 */
function closeAnswered(stream: ServerHttp2Stream, giveUpAt: number): void {
  if (stream.destroyed) return;
  if (stream.state.localClose === 1 || performance.now() > giveUpAt) stream.close();
  else setTimeout(closeAnswered, ANSWERED_EVERY_MS, stream, giveUpAt);
}

function authorizationOf(raw: readonly string[]): string | undefined {
  const values = raw.filter((_, index) => index % 2 === 1 && raw[index - 1] === "authorization");
  return values.length === 0 ? undefined : values.join(", ");
}

function bytesOf(raw: readonly string[]): number {
  return raw.reduce((sum, { length }) => sum + length, 0);
}

function headersTooLarge(): Failure {
  return new Failure("HEADERS_TOO_LARGE", `The headers are larger than ${MOST_HEADER_BYTES} bytes.`);
}
