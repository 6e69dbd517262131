/**
 * The client of a request. Its disconnect is detected on the socket rather than on the response, because a response
 * that waits behind an earlier one (pipelining) has no socket yet.
 */
import type { Socket } from "node:net";
import { Readable } from "node:stream";
import type { FastifyReply, FastifyRequest } from "fastify";
import { UNREAD_LIMIT_MS } from "../../platform/net/transport-limits.ts";

export class Caller {
  readonly #socket: Socket;
  readonly #reply: FastifyReply;
  /** The client requested only the headers. */
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

  /** Aborts when the client disconnects, or when the response was sent. */
  get gone(): AbortSignal {
    return this.#gone.signal;
  }

  /**
   * Sends a body, which may be generated as the client reads. A client that stops reading is disconnected, so that it
   * cannot hold its response forever.
   */
  send(body: string | Uint8Array | AsyncIterable<string | Uint8Array> | Iterable<string>): FastifyReply {
    this.#mustRead();
    if (typeof body === "string" || body instanceof Uint8Array) return this.#reply.send(body);
    return this.#reply.send(this.headOnly ? "" : Readable.from(body, { objectMode: false }));
  }

  #mustRead(): void {
    const cut = () => this.#socket.destroy();
    this.#socket.setTimeout(UNREAD_LIMIT_MS, cut);
    // Runs before Node's own listener, which sets the keep-alive timeout of the connection.
    this.#reply.raw.prependOnceListener("finish", () => {
      this.#socket.off("timeout", cut);
      this.#socket.setTimeout(0);
    });
  }
}
