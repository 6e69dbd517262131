/** A real key set server on loopback, which can also misbehave. */
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Signer } from "./tokens.ts";

export type Answer = (response: ServerResponse, request: IncomingMessage) => void;

export class KeyServer {
  readonly #server: Server;
  /** Number of requests by path. */
  readonly requests: string[] = [];
  answer: Answer;

  private constructor(answer: Answer) {
    this.answer = answer;
    this.#server = createServer((request, response) => {
      this.requests.push(request.url ?? "");
      // A kept-alive connection may be closed just as the next request arrives.
      response.shouldKeepAlive = false;
      this.answer(response, request);
    });
  }

  static async open(answer: Answer): Promise<KeyServer> {
    const server = new KeyServer(answer);
    server.#server.listen(0, "127.0.0.1");
    await once(server.#server, "listening");
    return server;
  }

  get fetches(): number {
    return this.requests.length;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/keys`;
  }

  /** Resolves when the next request has arrived, before it is answered. */
  async next(): Promise<void> {
    await once(this.#server, "request");
  }

  async close(): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, "close");
  }
}

export function keys(...signers: readonly Signer[]): Answer {
  return json({ keys: signers.map(({ jwk }) => jwk) });
}

export function json(value: unknown): Answer {
  return body(JSON.stringify(value));
}

export function body(text: string | Uint8Array): Answer {
  return (response) => {
    response.writeHead(200, { "content-type": "application/json" });
    response.end(text);
  };
}
