/** The TCP ports of a gRPC server, plain or with TLS. They accept connections before grpc-js gets them. */

import { lookup } from "node:dns/promises";
import { once } from "node:events";
import { createServer, type Server, type Socket } from "node:net";
import { createServer as createTlsServer, type Server as TlsServer } from "node:tls";
import { errorCode } from "../platform/errors.ts";
import type { Certificate } from "../platform/net/certificate.ts";
import { Connections, MAX_CONNECTIONS } from "../platform/net/connections.ts";
import { type KeepAliveLimits, probe } from "../platform/net/keep-alive.ts";
import { tlsServer } from "../platform/net/tls-server.ts";

/** This machine may lack one of several addresses of a name, such as its IPv6 address. */
const NO_SUCH_ADDRESS = ["EADDRNOTAVAIL", "EAFNOSUPPORT"];

export interface PortsOptions {
  /** Gets every connection that speaks HTTP/2. */
  readonly take: (socket: Socket) => void;
  readonly keepAlive: KeepAliveLimits;
  /** undefined: no TLS. */
  readonly certificate: Certificate | undefined;
  /** Default: with the usual limits. */
  readonly connections?: Connections | undefined;
}

export class Ports {
  readonly connections: Connections;
  readonly #servers: Server[] = [];
  readonly #accept: (socket: Socket) => void;
  readonly #keepAlive: KeepAliveLimits;

  constructor({ take, keepAlive, certificate, connections = new Connections() }: PortsOptions) {
    this.connections = connections;
    this.#keepAlive = keepAlive;
    const tls = certificate && secured(certificate, take);
    this.#accept = tls === undefined ? take : (socket) => tls.emit("connection", socket);
  }

  /** Listens on all addresses of a host, on one port. Resolves with the actual port. */
  async listen(host: string, port: number): Promise<number> {
    let bound = port;
    let missing: unknown;
    for (const { address } of await lookup(host, { all: true })) {
      try {
        bound = await this.#listenOn(address, bound);
      } catch (error) {
        if (!isMissing(error)) throw error;
        missing = error;
      }
    }
    if (this.#servers.length === 0) throw missing;
    return bound;
  }

  /**
   * Stops accepting connections. Resolves when all open ones have closed; those without an active call close at once.
   */
  async close(): Promise<void> {
    const closed = this.#servers.splice(0).map((server) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      server.close(() => resolve());
      return promise;
    });
    await this.connections.drain(Promise.all(closed));
  }

  async #listenOn(host: string, port: number): Promise<number> {
    const server = createServer({ noDelay: true }, (socket) => this.#connected(socket));
    server.maxConnections = MAX_CONNECTIONS;
    server.listen({ host, port });
    await once(server, "listening");
    this.#servers.push(server);
    const address = server.address();
    return typeof address === "object" && address !== null ? address.port : port;
  }

  #connected(socket: Socket): void {
    this.connections.add(socket);
    probe(socket, this.#keepAlive);
    this.#accept(socket);
  }
}

function secured(certificate: Certificate, take: (socket: Socket) => void): TlsServer {
  return tlsServer(certificate, "h2", (options) =>
    createTlsServer(options, (socket) => {
      // Without a listener, an error such as a disconnect would end the process.
      socket.on("error", () => {});
      take(socket);
    }),
  );
}

function isMissing(error: unknown): boolean {
  return NO_SUCH_ADDRESS.includes(errorCode(error) ?? "");
}
