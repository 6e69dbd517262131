/**
 * What only the HTTP/2 stream of a call tells, or can be made to do, which grpc-js shows to nobody: the
 * headers as they were sent, how much of the request has come, and an end for those that leave theirs open.
 */
import { EventEmitter } from "node:events";
import type { Http2Server, IncomingHttpHeaders, ServerHttp2Session, ServerHttp2Stream } from "node:http2";
import type { Server } from "@grpc/grpc-js";
import type { Connections } from "../platform/connections.ts";
import { Failure } from "../platform/failure.ts";
import { MOST_HEADER_BYTES } from "../platform/transport-limits.ts";
import type { Unfinished, UnfinishedRequest } from "./unfinished.ts";

/** The address of calls of methods that there are not, so that they pass the gate as all others. */
export const UNMATCHED = "/unmatched";
/** Milliseconds in which somebody must have shown on a connection who calls; open calls may end. */
const STRANGER_MS = 30_000;
/** Milliseconds from then to the cut: longer than a call of strangers may be open. */
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

type OnStream = (
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
  flags: number,
  raw: string[],
) => void;

export interface ArrivalOptions {
  readonly connections: Connections;
  readonly unfinished: Unfinished;
  /** Whether there is a method of that path. */
  readonly has: (path: string) => boolean;
}

export class Arrivals {
  readonly #options: ArrivalOptions;
  readonly #retiring = new WeakMap<ServerHttp2Session, NodeJS.Timeout>();
  /** Of the call that grpc-js is making this very moment. */
  #current: Arrival | undefined;

  /** `server` has an injector for connections, whose HTTP/2 server is taken from grpc-js. */
  constructor(server: Server, options: ArrivalOptions) {
    this.#options = options;
    const http2 = http2ServerOf(server);
    // HTTP/2 is told so, but what comes before it has heard is for us to refuse.
    http2.updateSettings({ maxHeaderListSize: MOST_HEADER_BYTES });
    const makers = http2.listeners("stream") as OnStream[];
    http2.removeAllListeners("stream");
    http2.on("stream", (stream, headers, flags, raw) => {
      const known = this.#options.has(headers[":path"] ?? "");
      const shown = known ? headers : { ...headers, ":path": UNMATCHED };
      this.#current = this.#arrivalOf(stream, raw);
      try {
        for (const make of makers) make.call(http2, stream, shown, flags, raw);
      } finally {
        this.#current = undefined;
      }
    });
    http2.on("session", (session) => this.#retireInTime(session));
  }

  /** For interceptors, which are made with their call. */
  get current(): Arrival {
    if (this.#current === undefined) throw new TypeError("a call came in unseen");
    return this.#current;
  }

  #arrivalOf(stream: ServerHttp2Stream, raw: readonly string[]): Arrival {
    // Whether it fails or is left: grpc-js sees that as well, and nobody may be without a listener.
    stream.on("error", () => {});
    const { session } = stream;
    const arrival: Arrival = {
      authorization: authorizationOf(raw),
      fault: bytesOf(raw) > MOST_HEADER_BYTES ? headersTooLarge() : undefined,
      onFailure: () => stream.close(),
      know: (tenant: string) => {
        request.know(tenant);
        if (session !== undefined) this.#know(session as ServerHttp2Session, tenant);
      },
    };
    const request: UnfinishedRequest = this.#options.unfinished.begin((failure) =>
      arrival.onFailure(failure),
    );
    follow(stream, request);
    if (session !== undefined) stream.once("close", this.#options.connections.begin(session.socket));
    return arrival;
  }

  #know(session: ServerHttp2Session, tenant: string): void {
    const timer = this.#retiring.get(session);
    if (timer === undefined) return;
    clearTimeout(timer);
    this.#retiring.delete(session);
    if (!session.destroyed) this.#options.connections.know(session.socket, tenant);
  }

  #retireInTime(session: ServerHttp2Session): void {
    const retire = () => {
      session.close();
      this.#retiring.set(
        session,
        setTimeout(() => session.destroy(), LEAVE_MS),
      );
    };
    this.#retiring.set(session, setTimeout(retire, STRANGER_MS));
    session.once("close", () => clearTimeout(this.#retiring.get(session)));
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

/** grpc-js keeps it to itself. Its version is pinned; in another one this may stop the start. */
function http2ServerOf(server: Server): Http2Server {
  const servers: unknown = Reflect.get(server, "http2Servers");
  const [first] = servers instanceof Map ? servers.keys() : [];
  if (first instanceof EventEmitter && "updateSettings" in first && first.listenerCount("stream") > 0) {
    return first as Http2Server;
  }
  throw new TypeError("this version of grpc-js keeps its HTTP/2 server elsewhere");
}
