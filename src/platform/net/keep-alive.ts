/**
 * Detects a peer that disappeared without closing its connection.
 *
 * The keepalive of grpc-js cannot be used: Node.js sends no pings on a session that closes gracefully (after GOAWAY).
 * grpc-js takes that for a broken connection and ends its open calls (https://github.com/grpc/grpc-node/issues/3068).
 */
import type { Http2Session, Http2Stream } from "node:http2";
import type { Socket } from "node:net";

export interface KeepAliveLimits {
  /** Milliseconds between two pings, and of silence before TCP sends keep-alive probes. */
  readonly everyMs: number;
  /** Milliseconds within which the peer must respond; then its connection is closed. */
  readonly timeoutMs: number;
}

/** Milliseconds. TCP counts in whole seconds. */
const PROBE_EVERY_MS = 1_000;

/** Enables TCP keep-alive probes, which are sent while the connection is silent, even on a session that is closing. */
export function probe(socket: Socket, { everyMs, timeoutMs }: KeepAliveLimits): void {
  const probes = Math.max(1, Math.round(timeoutMs / PROBE_EVERY_MS));
  socket.setKeepAlive(true, Math.max(PROBE_EVERY_MS, everyMs), PROBE_EVERY_MS, probes);
}

/**
 * Pings the peer of an HTTP/2 session while streams are open. Unlike TCP probes, pings also notice a stopped process
 * and pass through proxies.
 */
export class Pings {
  readonly #session: Http2Session;
  readonly #socket: Socket;
  readonly #timeoutMs: number;
  readonly #timer: NodeJS.Timeout;
  #openStreams = 0;
  #unanswered: NodeJS.Timeout | undefined;

  /** `socket`: the socket of the session. */
  constructor(session: Http2Session, socket: Socket, { everyMs, timeoutMs }: KeepAliveLimits) {
    this.#session = session;
    this.#socket = socket;
    this.#timeoutMs = timeoutMs;
    this.#timer = setInterval(() => this.#ping(), everyMs).unref();
    session.once("close", () => {
      clearInterval(this.#timer);
      this.#answered();
    });
  }

  /** Records a new stream of the session. */
  add(stream: Http2Stream): void {
    this.#openStreams++;
    stream.once("close", () => this.#openStreams--);
  }

  #ping(): void {
    if (this.#session.closed || this.#session.destroyed) clearInterval(this.#timer);
    else if (this.#openStreams > 0 && this.#unanswered === undefined) {
      const sent = this.#session.ping(() => this.#answered());
      if (sent) this.#unanswered = setTimeout(() => this.#late(), this.#timeoutMs).unref();
    }
  }

  #answered(): void {
    clearTimeout(this.#unanswered);
    this.#unanswered = undefined;
  }

  /** If this process was suspended, the response may still be waiting to be read. */
  #late(): void {
    setImmediate(() => {
      if (this.#unanswered !== undefined) this.#socket.destroy();
    });
  }
}
