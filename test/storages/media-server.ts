/** An https server of files with ranges and conditions, which misbehaves as a test asks. */
import { hash } from "node:crypto";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import type { Authority } from "../server/certificates.ts";

/** What a file consists of: a buffer, or bytes that are made when they are asked for. */
export interface Content {
  readonly length: number;
  subarray(first: number, end: number): Buffer;
}

interface Served {
  readonly content: Content;
  readonly etag: string;
  readonly modified: Date;
}

/** What a request asks for, before it is answered. */
export interface Asked {
  readonly path: string;
  readonly range: { readonly first: number; readonly last: number };
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Headers of the right response. */
  readonly headers: Record<string, string | number>;
  readonly body: Buffer;
}

/** Returns whether it has answered. */
export type Fault = (asked: Asked) => boolean | Promise<boolean>;

/** Long ago: files that were changed just now are looked at twice. */
const MODIFIED = new Date("2026-01-02T03:04:05Z");

export class MediaServer {
  /** Of every request, in order. */
  readonly requests: {
    readonly path: string;
    readonly range: string;
    readonly ifMatch: string | undefined;
  }[] = [];
  /** Bytes of bodies that were handed to the network. */
  sentBytes = 0;
  connections = 0;
  fault: Fault = () => false;
  readonly #files = new Map<string, Served>();
  readonly #server: Server;
  readonly #sockets = new Set<Duplex>();

  private constructor(server: Server) {
    this.#server = server;
    server.on("request", (request, response) => void this.#serve(request, response));
    server.on("connection", (socket) => {
      this.connections++;
      this.#sockets.add(socket);
      socket.on("close", () => this.#sockets.delete(socket));
    });
    server.on("tlsClientError", () => {});
  }

  static async start(authority: Authority): Promise<MediaServer> {
    const pair = await authority.issue("media");
    const server = createServer({ cert: await readFile(pair.cert), key: await readFile(pair.key) });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return new MediaServer(server);
  }

  get host(): string {
    return `localhost:${(this.#server.address() as AddressInfo).port}`;
  }

  url(path: string): string {
    return `https://${this.host}${path}`;
  }

  /** Makes or replaces a file. */
  put(path: string, content: Buffer, modified = MODIFIED): void {
    this.serve(path, content, hash("sha256", content, "hex"), modified);
  }

  /** The same, with a version of its own. */
  serve(path: string, content: Content, version: string, modified = MODIFIED): void {
    this.#files.set(path, { content, etag: `"${version}"`, modified });
  }

  delete(path: string): void {
    this.#files.delete(path);
  }

  /** Cuts all connections. */
  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  async close(): Promise<void> {
    this.cut();
    this.#server.close();
    await once(this.#server, "close");
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = new URL(request.url ?? "/", "https://localhost").pathname;
    const { range = "", "if-match": ifMatch } = request.headers;
    this.requests.push({ path, range, ifMatch });
    const file = this.#files.get(path);
    if (file === undefined) return void response.writeHead(404).end();
    const [first = 0, last = 0] = /^bytes=(\d+)-(\d+)$/.exec(range)?.slice(1).map(Number) ?? [];
    if (ifMatch !== undefined && ifMatch !== file.etag) return void response.writeHead(412).end();
    const since = request.headers["if-unmodified-since"];
    if (since !== undefined && Date.parse(since) < file.modified.getTime())
      return void response.writeHead(412).end();
    const size = file.content.length;
    if (first >= size) return void response.writeHead(416, { "content-range": `bytes */${size}` }).end();
    const body = file.content.subarray(first, Math.min(last + 1, size));
    const headers = {
      etag: file.etag,
      "last-modified": file.modified.toUTCString(),
      "content-range": `bytes ${first}-${Math.min(last, size - 1)}/${size}`,
      "content-length": body.length,
    };
    if (await this.fault({ path, range: { first, last }, request, response, headers, body })) return;
    this.sentBytes += body.length;
    response.writeHead(206, headers).end(body);
  }
}
