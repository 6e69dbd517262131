/** A gRPC server: limits, and the services of a process with health and reflection. */
import type { Socket } from "node:net";
import type { DescService } from "@bufbuild/protobuf";
import {
  type handleBidiStreamingCall,
  logVerbosity,
  Server,
  ServerCredentials,
  setLogVerbosity,
  status,
  type UntypedServiceImplementation,
} from "@grpc/grpc-js";
import { HealthImplementation, service as healthService } from "grpc-health-check";
import type { Registry } from "prom-client";
import type { Audit } from "../audit/audit.ts";
import type { Gate } from "../auth/access/gate.ts";
import { definitionOf } from "../messages/definition.ts";
import { within } from "../platform/concurrency/lifecycle.ts";
import type { Certificate } from "../platform/net/certificate.ts";
import type { Connections } from "../platform/net/connections.ts";
import type { KeepAliveLimits } from "../platform/net/keep-alive.ts";
import { PASSING, type Tracer } from "../platform/observability/span.ts";
import { admission, nameOf, operationOf } from "./admission.ts";
import { Arrivals, UNMATCHED } from "./arrivals.ts";
import { auditing } from "./auditing.ts";
import { observer } from "./observe.ts";
import { Ports } from "./ports.ts";
import { addReflection, REFLECTION_METHODS } from "./reflection.ts";
import { Unfinished } from "./unfinished.ts";

// grpc-js would write to stderr beside the log. Errors are reported by the statuses of calls and by listen().
setLogVerbosity(logVerbosity.NONE);

const LIMITS = {
  /** Bytes, also after decompression. */
  "grpc.max_receive_message_length": 4 * 1024 * 1024,
  /** Concurrent calls on one connection. */
  "grpc.max_concurrent_streams": 100,
  /** Disables channelz, which nobody uses and which tracks every call. */
  "grpc.enable_channelz": 0,
  /** A connection without calls is closed after this time. */
  "grpc.max_connection_idle_ms": 300_000,
} as const;

export interface ConnectionLimits {
  /**
   * Milliseconds for which a connection accepts new calls, randomly varied by a tenth. Open calls continue to their
   * end, and the next call opens a new connection, so that clients spread to servers that were added since.
   */
  readonly ageMs: number;
  readonly keepAlive: KeepAliveLimits;
}

/** A peer that disappeared without closing its connection is detected within 30 + 10 s, and its score is stopped. */
const CONNECTION_LIMITS: ConnectionLimits = {
  ageMs: 300_000,
  keepAlive: { everyMs: 30_000, timeoutMs: 10_000 },
};

export interface ServedService {
  readonly descriptor: DescService;
  /** By method name in lowerCamelCase. */
  readonly handlers: UntypedServiceImplementation;
}

export interface RpcOptions {
  readonly services: readonly ServedService[];
  readonly registry: Registry;
  /** Admits every call. */
  readonly gate: Gate;
  /** undefined: no audit log. */
  readonly audit?: Audit | undefined;
  /** undefined: no TLS. */
  readonly certificate?: Certificate | undefined;
  /** Default: propagates the traces of callers. */
  readonly tracer?: Tracer | undefined;
  /** Default: CONNECTION_LIMITS. */
  readonly connectionLimits?: ConnectionLimits | undefined;
  /** Default: with the usual limits. */
  readonly connections?: Connections | undefined;
}

/** All operations of a server with these services, as "package.Service/Method". */
export function rpcOperations(descriptors: readonly DescService[]): string[] {
  const own = descriptors.flatMap((descriptor) => Object.values(definitionOf(descriptor)));
  const paths = [...own, ...Object.values(healthService)].map(({ path }) => nameOf(path));
  return [...paths, ...REFLECTION_METHODS];
}

export class RpcServer {
  readonly #server: Server;
  readonly #health = new HealthImplementation();
  /** The names for which health is reported: the server ("") and each of its services. */
  readonly #names: readonly string[];

  readonly #ports: Ports;

  constructor(options: RpcOptions) {
    const { services, registry, gate, audit, certificate, tracer = PASSING } = options;
    const { connectionLimits: limits = CONNECTION_LIMITS } = options;
    const { keepAlive } = limits;
    const descriptors = services.map(({ descriptor }) => descriptor);
    this.#names = ["", ...descriptors.map(({ typeName }) => typeName)];
    const audited = audit ? [auditing(audit, operationOf)] : [];
    const interceptors = [observer(registry), ...audited, admission(gate, () => arrivals, tracer)];
    this.#server = new Server({
      ...LIMITS,
      "grpc.max_connection_age_ms": limits.ageMs,
      interceptors,
    });
    for (const { descriptor, handlers } of services) {
      this.#server.addService(definitionOf(descriptor), handlers);
    }
    this.setServing(false);
    this.#health.addToServer(this.#server);
    addReflection(this.#server, descriptors);
    this.#server.register(UNMATCHED, handleUnknownMethod, asIs, asIs, "bidi");
    const injector = this.#server.createConnectionInjector(ServerCredentials.createInsecure());
    const take = (socket: Socket) => {
      arrivals.watch(socket);
      injector.injectConnection(socket);
    };
    this.#ports = new Ports({ take, keepAlive, certificate, connections: options.connections });
    const paths = new Set(rpcOperations(descriptors).map((operation) => `/${operation}`));
    const arrivals = new Arrivals({
      connections: this.#ports.connections,
      unfinished: new Unfinished(),
      keepAlive,
      has: (path) => paths.has(path),
    });
  }

  setServing(serving: boolean): void {
    for (const name of this.#names) this.#health.setStatus(name, serving ? "SERVING" : "NOT_SERVING");
  }

  /** Listens on all addresses of a host. Resolves with the actual port. */
  listen(host: string, port: number): Promise<number> {
    return this.#ports.listen(host, port);
  }

  /** Stops accepting connections, lets calls finish for at most `limitMs`, then closes the remaining ones. */
  async close(limitMs: number): Promise<void> {
    const ended = this.#ports.close();
    // grpc-js asks its sessions to end, but does not wait for injected ones.
    this.#server.tryShutdown(() => {});
    await within(limitMs, () => ended);
    this.#server.forceShutdown();
    this.#ports.connections.cut();
  }
}

const handleUnknownMethod: handleBidiStreamingCall<Buffer, Buffer> = (call) => {
  call.emit("error", { code: status.UNIMPLEMENTED, details: "There is no such method." });
};

const asIs = (bytes: Buffer) => bytes;
