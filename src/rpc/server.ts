/** A gRPC server: limits, then a process's services, health and reflection. */
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
import type { Gate } from "../auth/gate.ts";
import { definitionOf } from "../messages/definition.ts";
import type { Certificate } from "../platform/certificate.ts";
import type { Connections } from "../platform/connections.ts";
import type { KeepAliveLimits } from "../platform/keep-alive.ts";
import { within } from "../platform/lifecycle.ts";
import { PASSING, type Tracer } from "../platform/span.ts";
import { admission, nameOf, operationOf } from "./admission.ts";
import { Arrivals, UNMATCHED } from "./arrivals.ts";
import { auditing } from "./auditing.ts";
import { observer } from "./observe.ts";
import { Ports } from "./ports.ts";
import { addReflection, REFLECTION_METHODS } from "./reflection.ts";
import { Unfinished, type UnfinishedLimits } from "./unfinished.ts";

// grpc-js would write to stderr beside the log; what goes wrong is told by the calls' statuses and by listen().
setLogVerbosity(logVerbosity.NONE);

const LIMITS = {
  /** Bytes, after decompression too. */
  "grpc.max_receive_message_length": 4 * 1024 * 1024,
  /** Calls at a time on one connection. */
  "grpc.max_concurrent_streams": 100,
  /** Nobody asks for the books that channelz keeps of every call. */
  "grpc.enable_channelz": 0,
  /** A connection without calls is closed after this time. */
  "grpc.max_connection_idle_ms": 300_000,
} as const;

export interface ConnectionLimits {
  /**
   * Milliseconds that a connection takes new calls, a tenth more or less by chance. Calls that are open go on to their
   * end, and the next one connects anew: so clients spread over servers that have come since.
   */
  readonly ageMs: number;
  readonly keepAlive: KeepAliveLimits;
}

/** A peer that is gone without closing its connection is noticed within 30 + 10 s, and its score stopped. */
const CONNECTION_LIMITS: ConnectionLimits = {
  ageMs: 300_000,
  keepAlive: { everyMs: 30_000, timeoutMs: 10_000 },
};

export interface ServedService {
  readonly descriptor: DescService;
  /** By the methods' names in lowerCamelCase. */
  readonly handlers: UntypedServiceImplementation;
}

export interface RpcOptions {
  readonly services: readonly ServedService[];
  readonly registry: Registry;
  /** What every call has to pass. */
  readonly gate: Gate;
  /** undefined: no audit log is kept. */
  readonly audit?: Audit | undefined;
  /** undefined: in clear. */
  readonly certificate?: Certificate | undefined;
  /** Default: one that passes on what callers give. */
  readonly tracer?: Tracer | undefined;
  /** Default: UNFINISHED_LIMITS. */
  readonly unfinished?: UnfinishedLimits | undefined;
  /** Default: CONNECTION_LIMITS. */
  readonly connectionLimits?: ConnectionLimits | undefined;
  /** Default: as many as Connections holds. */
  readonly connections?: Connections | undefined;
}

/** Everything that a server of these services can be called for, as "package.Service/Method". */
export function rpcOperations(descriptors: readonly DescService[]): string[] {
  const own = descriptors.flatMap((descriptor) => Object.values(definitionOf(descriptor)));
  const paths = [...own, ...Object.values(healthService)].map(({ path }) => nameOf(path));
  return [...paths, ...REFLECTION_METHODS];
}

export class RpcServer {
  readonly #server: Server;
  readonly #health = new HealthImplementation();
  /** Health is told of the server ("") and of each of its services by name. */
  readonly #names: readonly string[];

  readonly #ports: Ports;

  constructor(options: RpcOptions) {
    const { services, registry, gate, audit, certificate, tracer = PASSING, unfinished } = options;
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
    this.#server.register(UNMATCHED, tellNoSuchMethod, asIs, asIs, "bidi");
    const injector = this.#server.createConnectionInjector(ServerCredentials.createInsecure());
    const take = (socket: Socket) => {
      arrivals.watch(socket);
      injector.injectConnection(socket);
    };
    this.#ports = new Ports({ take, keepAlive, certificate, connections: options.connections });
    const paths = new Set(rpcOperations(descriptors).map((operation) => `/${operation}`));
    const arrivals = new Arrivals({
      connections: this.#ports.connections,
      unfinished: new Unfinished(unfinished),
      keepAlive,
      has: (path) => paths.has(path),
    });
  }

  setServing(serving: boolean): void {
    for (const name of this.#names) this.#health.setStatus(name, serving ? "SERVING" : "NOT_SERVING");
  }

  /** Listens on all addresses of a host; resolves with the port taken. */
  listen(host: string, port: number): Promise<number> {
    return this.#ports.listen(host, port);
  }

  /** Takes no new connections, lets calls end for at most `limitMs`, then cuts those that are left. */
  async close(limitMs: number): Promise<void> {
    const ended = this.#ports.close();
    // grpc-js tells its sessions to end, and waits for none of those that were injected.
    this.#server.tryShutdown(() => {});
    await within(limitMs, () => ended);
    this.#server.forceShutdown();
    this.#ports.connections.cut();
  }
}

const tellNoSuchMethod: handleBidiStreamingCall<Buffer, Buffer> = (call) => {
  call.emit("error", { code: status.UNIMPLEMENTED, details: "There is no such method." });
};

const asIs = (bytes: Buffer) => bytes;
