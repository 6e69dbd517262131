/** A client's connections to a service: one per protocol, kept alive between calls. */
import { once } from "node:events";
import { Agent, type IncomingMessage, request } from "node:http";
import { text } from "node:stream/consumers";
import { Connection } from "../../src/client/connection/connection.ts";
import { errorCode } from "../../src/platform/errors.ts";
import { Failure } from "../../src/platform/failure.ts";

/** Milliseconds per call. */
const LIMIT_MS = 300_000;

export interface Addresses {
  /** "http://HOST:PORT" */
  readonly rest: string;
  /** "HOST:PORT" */
  readonly grpc: string;
}

export interface Asked {
  readonly method?: "GET" | "POST";
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** A failed call, with the code of the service or of the connection. */
export class CallFailed extends Error {
  readonly code: string;

  constructor(code: string, detail: string) {
    super(`${code}: ${detail}`);
    this.code = code;
  }

  static from(thrown: unknown): CallFailed {
    if (thrown instanceof CallFailed) return thrown;
    if (thrown instanceof Failure) return new CallFailed(thrown.code, thrown.message);
    const code = errorCode(thrown) ?? "UNKNOWN";
    return new CallFailed(code, String(thrown));
  }
}

export class Line implements Disposable {
  readonly grpc: Connection;
  readonly #rest: string;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });

  constructor({ rest, grpc }: Addresses) {
    this.#rest = rest;
    this.grpc = new Connection({ address: grpc });
  }

  /** The body of a successful response. Throws CallFailed. */
  async ask<Body>({ method = "GET", path, headers, body }: Asked): Promise<Body> {
    const sent = request(`${this.#rest}${path}`, {
      agent: this.#agent,
      method,
      headers: { ...headers, ...(body !== undefined && { "content-type": "application/json" }) },
    });
    const late = setTimeout(() => sent.destroy(new CallFailed("LATE", `no answer to ${path}`)), LIMIT_MS);
    sent.end(body === undefined ? undefined : JSON.stringify(body));
    try {
      const [response] = (await once(sent, "response")) as [IncomingMessage];
      const answer = JSON.parse(await text(response));
      if ((response.statusCode ?? 0) < 300) return answer;
      throw new CallFailed(String(answer.code ?? response.statusCode), JSON.stringify(answer));
    } finally {
      clearTimeout(late);
      // It may fail again when nobody waits anymore.
      sent.on("error", () => {});
    }
  }

  [Symbol.dispose](): void {
    this.grpc[Symbol.dispose]();
    this.#agent.destroy();
  }
}
