/** Opens a gRPC channel's connections with or without TLS, and with keep-alive pings that detect a dead peer. */
import type { Socket } from "node:net";
import { CallCredentials, ChannelCredentials } from "@grpc/grpc-js";
import { followSession } from "../../platform/net/http2-session.ts";
import { type KeepAliveLimits, Pings, probe } from "../../platform/net/keep-alive.ts";
import type { Tls } from "./tls.ts";

type Connector = ReturnType<ChannelCredentials["_createSecureConnector"]>;
type ConnectorOptions = Parameters<ChannelCredentials["_createSecureConnector"]>;

export class SocketCredentials extends ChannelCredentials {
  readonly #tls: Tls | undefined;
  readonly #keepAlive: KeepAliveLimits;

  /** `tls`: undefined for no TLS. */
  constructor(tls: Tls | undefined, keepAlive: KeepAliveLimits) {
    super();
    this.#tls = tls;
    this.#keepAlive = keepAlive;
  }

  override _isSecure(): boolean {
    return this.#tls !== undefined;
  }

  override _equals(other: ChannelCredentials): boolean {
    return this === other;
  }

  override _createSecureConnector(...[, , callCredentials]: ConnectorOptions): Connector {
    return {
      connect: async (tcp) => ({ socket: await this.#connect(tcp), secure: this.#tls !== undefined }),
      waitForReady: async () => {},
      getCallCredentials: () => callCredentials ?? CallCredentials.createEmpty(),
      destroy: () => {},
    };
  }

  async #connect(tcp: Socket): Promise<Socket> {
    probe(tcp, this.#keepAlive);
    const socket = this.#tls === undefined ? tcp : await this.#tls.connect(tcp);
    followSession(socket, (session) => {
      const pings = new Pings(session, socket, this.#keepAlive);
      return (stream) => pings.add(stream);
    });
    return socket;
  }
}
