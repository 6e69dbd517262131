/**
 * Notices a peer that is gone without closing its connection.
 *
 * The keepalive of grpc-js cannot be used: Node.js sends no pings on a session that closes gracefully (after GOAWAY), which
 * grpc-js takes for a broken connection and ends the calls still open on it (https://github.com/grpc/grpc-node/issues/3068).
 */
import type { Http2Session, Http2Stream } from "node:http2";
import type { Socket } from "node:net";

export interface KeepAliveLimits {
  /** Milliseconds between two pings, and of silence before TCP probes the peer. */
  readonly everyMs: number;
  /** Milliseconds that the peer may take to answer; then its connection is cut. */
  readonly timeoutMs: number;
}

/** Milliseconds; TCP counts in whole seconds. */
const PROBE_EVERY_MS = 1_000;

/** Has TCP probe the peer while nothing is sent. It does so on a session that closes as well. */
export function probe(socket: Socket, { everyMs, timeoutMs }: KeepAliveLimits): void {
  const probes = Math.max(1, Math.round(timeoutMs / PROBE_EVERY_MS));
  socket.setKeepAlive(true, Math.max(PROBE_EVERY_MS, everyMs), PROBE_EVERY_MS, probes);
}

/**
 * Pings the peer of an HTTP/2 session while streams are open on it: unlike probes, pings also notice a process that has
 * stopped, and pass through proxies.
 */
export class Pings {
  readonly #session: Http2Session;
  readonly #socket: Socket;
  readonly #timeoutMs: number;
  readonly #timer: NodeJS.Timeout;
  #openStreams = 0;
  #unanswered: NodeJS.Timeout | undefined;

  /** `socket`: that of the session. */
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

  /** A stream was created on the session. */
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

  /** When this process was stopped for a while, the answer may wait to be read. */
  #late(): void {
    setImmediate(() => {
      if (this.#unanswered !== undefined) this.#socket.destroy();
    });
  }
}
