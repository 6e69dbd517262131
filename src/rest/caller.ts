/**
 * The client at the other end of a connection. Its going is seen on the socket and not on
 * the answer, because an answer that waits behind an earlier one (pipelining) has no socket yet.
 */
import type { Socket } from "node:net";
import { Readable } from "node:stream";
import type { FastifyReply, FastifyRequest } from "fastify";
import { UNREAD_LIMIT_MS } from "../platform/transport-limits.ts";

export class Caller {
  readonly #socket: Socket;
  readonly #reply: FastifyReply;
  /** The client wants the headers alone. */
  readonly headOnly: boolean;
  readonly #gone = new AbortController();

  constructor(request: FastifyRequest, reply: FastifyReply) {
    this.#socket = request.raw.socket;
    this.#reply = reply;
    this.headOnly = request.method === "HEAD";
    const abort = () => this.#gone.abort();
    this.#socket.once("close", abort);
    reply.raw.once("close", () => {
      this.#socket.off("close", abort);
      abort();
    });
    if (this.#socket.destroyed) abort();
  }

  /** Aborts when the client hangs up, or has its answer. */
  get gone(): AbortSignal {
    return this.#gone.signal;
  }

  /**
   * Sends a body, which may be made piece by piece as the client reads: one that does not read is
   * cut off, so that it cannot hold its answer for ever.
   */
  send(body: string | Uint8Array | AsyncIterable<string> | Iterable<string>): FastifyReply {
    this.#mustRead();
    if (typeof body === "string" || body instanceof Uint8Array) return this.#reply.send(body);
    return this.#reply.send(this.headOnly ? "" : Readable.from(body, { objectMode: false }));
  }

  #mustRead(): void {
    const cut = () => this.#socket.destroy();
    this.#socket.setTimeout(UNREAD_LIMIT_MS, cut);
    // Before Node's own listener, which sets the time that the connection may idle from here on.
    this.#reply.raw.prependOnceListener("finish", () => {
      this.#socket.off("timeout", cut);
      this.#socket.setTimeout(0);
    });
  }
}
