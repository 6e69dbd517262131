/**
 * The HTTP/2 side of calls, which grpc-js does not expose: the headers as sent, the size of the request so far, and the
 * end of requests that stay incomplete.
 */
import type { IncomingHttpHeaders, ServerHttp2Session, ServerHttp2Stream } from "node:http2";
import type { Socket } from "node:net";
import { Failure } from "../platform/failure.ts";
import type { Connections } from "../platform/net/connections.ts";
import { followSession } from "../platform/net/http2-session.ts";
import { type KeepAliveLimits, Pings } from "../platform/net/keep-alive.ts";
import { MAX_HEADER_BYTES } from "../platform/net/transport-limits.ts";
import { AuthenticationDeadline } from "./authentication-deadline.ts";
import type { Unfinished, UnfinishedRequest } from "./unfinished.ts";

/** Path of calls to unknown methods, so that they pass the gate like all others. */
export const UNMATCHED = "/unmatched";
/** Milliseconds for sending a response. */
const LEAVE_MS = 15_000;
/**
 * Bytes that a client may send ahead of what was read. With the default of 64 KiB, a large request takes a round trip
 * for each 64 KiB.
 */
const WINDOW_BYTES = 4 * 1024 * 1024;
/** Milliseconds between checks whether a response was sent. */
const ANSWERED_EVERY_MS = 20;

export interface Arrival {
  /** Value of `authorization`, several joined to a list; undefined if there is none. */
  readonly authorization: string | undefined;
  /** Why the call is refused for any caller. */
  readonly fault: Failure | undefined;
  /** Ends the call with a failure. Replaced once grpc-js has created the call. */
  onFailure: (failure: Failure) => void;
  /** Records the authenticated tenant. */
  identify(tenant: string): void;
}

export interface ArrivalOptions {
  readonly connections: Connections;
  readonly unfinished: Unfinished;
  readonly keepAlive: KeepAliveLimits;
  /** Whether a method with that path exists. */
  readonly has: (path: string) => boolean;
}

export class Arrivals {
  readonly #options: ArrivalOptions;
  /** The call that grpc-js is creating at this moment. */
  #current: Arrival | undefined;

  constructor(options: ArrivalOptions) {
    this.#options = options;
  }

  /** For interceptors, which are created together with their call. */
  get current(): Arrival {
    if (this.#current === undefined) throw new TypeError("the call was not admitted");
    return this.#current;
  }

  /** Watches the calls on a connection. Must be called before grpc-js gets the connection. */
  watch(socket: Socket): void {
    const deadline = new AuthenticationDeadline(socket);
    followSession(socket, (opened) => {
      const session = opened as ServerHttp2Session;
      deadline.opened(session);
      session.settings({ maxHeaderListSize: MAX_HEADER_BYTES, initialWindowSize: WINDOW_BYTES });
      session.setLocalWindowSize(WINDOW_BYTES);
      const identify = (tenant: string) => {
        if (deadline.meet() && !session.destroyed) this.#options.connections.identify(socket, tenant);
      };
      session.prependListener("stream", (stream, headers, _flags, raw) => {
        this.#current = this.#arrivalOf(stream, raw, identify);
        stream.once("close", this.#options.connections.begin(socket));
        this.#hideUnmatched(headers);
      });
      // Runs after grpc-js has created the call.
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

  #arrivalOf(stream: ServerHttp2Stream, raw: readonly string[], identify: (tenant: string) => void): Arrival {
    // grpc-js also handles stream errors; this listener avoids an uncaught error.
    stream.on("error", () => {});
    const arrival: Arrival = {
      authorization: authorizationOf(raw),
      fault: bytesOf(raw) > MAX_HEADER_BYTES ? headersTooLarge() : undefined,
      onFailure: () => stream.close(),
      identify: (tenant: string) => {
        request.identify(tenant);
        identify(tenant);
      },
    };
    const request: UnfinishedRequest = this.#options.unfinished.begin((failure) =>
      arrival.onFailure(failure),
    );
    follow(stream, request);
    return arrival;
  }
}

/** Counts the bytes of a request, and closes the stream after the response even if the client would send more. */
function follow(stream: ServerHttp2Stream, request: UnfinishedRequest): void {
  stream.on("data", (bytes: Uint8Array) => request.add(bytes.length));
  stream.once("end", () => request.done());
  stream.once("close", () => request.done());
  stream.once("finish", () => {
    if (!stream.readableEnded) setImmediate(closeAnswered, stream, performance.now() + LEAVE_MS);
  });
}

/**
 * Closes the stream with NO_ERROR after a complete response, which informs the client that the rest of its request is not
 * needed (RFC 9113, 8.1). This must happen after the response was sent: unsent data would be dropped.
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
  return new Failure("HEADERS_TOO_LARGE", `The headers are larger than ${MAX_HEADER_BYTES} bytes.`);
}
