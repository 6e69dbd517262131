/** Passes requests on to an S3 server, and spoils some of them on their way. */
import { once } from "node:events";
import { createServer, request as httpRequest, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { Transform } from "node:stream";

/** CUT: the connection breaks in the middle. TAMPER: a byte is changed. EXPIRE: the URL is one of the year 2020. */
export type Harm = "CUT" | "TAMPER" | "EXPIRE";

export interface PassedPart {
  /** Of the part, from 1. */
  readonly number: number;
  /** How often it was sent before. */
  readonly before: number;
}

export class S3Proxy implements AsyncDisposable {
  /** What happens to a part that is sent; undefined: nothing. */
  harm: (part: PassedPart) => Harm | undefined = () => undefined;
  /** Whether it closes every connection, as a server that is down. */
  isDown = false;
  /** Parts that came through unharmed, by number. */
  readonly #sent = new Map<string, number>();
  readonly #server: Server;

  private constructor(endpoint: string) {
    const { hostname, port } = new URL(endpoint);
    this.#server = createServer((given, answer) => {
      if (this.isDown) {
        given.socket.destroy();
        return;
      }
      const harm = given.method === "PUT" ? this.#harmTo(given.url ?? "") : undefined;
      const { method, headers } = given;
      const path = harm === "EXPIRE" ? expired(given.url ?? "") : given.url;
      const passed = httpRequest({ hostname, port, method, path, headers }, (response) => {
        answer.writeHead(response.statusCode ?? 500, response.rawHeaders);
        response.pipe(answer);
      });
      passed.on("error", () => given.socket.destroy());
      given.on("error", () => passed.destroy());
      if (harm === "CUT") cut(given);
      given.pipe(spoiled(harm)).pipe(passed);
    });
  }

  static async open(endpoint: string): Promise<S3Proxy> {
    const proxy = new S3Proxy(endpoint);
    await once(proxy.#server.listen(0, "127.0.0.1"), "listening");
    return proxy;
  }

  /** "http://127.0.0.1:PORT" */
  get endpoint(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #harmTo(url: string): Harm | undefined {
    const { searchParams } = new URL(url, "http://x");
    const number = Number(searchParams.get("partNumber"));
    const key = `${searchParams.get("uploadId")} ${number}`;
    const before = this.#sent.get(key) ?? 0;
    this.#sent.set(key, before + 1);
    return this.harm({ number, before });
  }
}

/** Half of the smallest part. */
const CUT_AFTER_BYTES = 8 * 2 ** 20;

function cut(given: IncomingMessage): void {
  let bytes = 0;
  given.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > CUT_AFTER_BYTES) given.socket.destroy();
  });
}

function spoiled(harm: Harm | undefined): Transform {
  let isFirst = harm === "TAMPER";
  return new Transform({
    transform: (chunk: Buffer, _, done) => {
      const changed = Buffer.from(chunk);
      if (isFirst) changed.writeUInt8(changed.readUInt8(0) ^ 1, 0);
      isFirst = false;
      done(null, changed);
    },
  });
}

function expired(url: string): string {
  return url.replace(/X-Amz-Date=\w+/, "X-Amz-Date=20200101T000000Z");
}
