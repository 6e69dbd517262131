/** A gRPC server: limits, then a process's services, health and reflection. */
import type { DescService } from "@bufbuild/protobuf";
import {
  logVerbosity,
  Server,
  type ServerCredentials,
  setLogVerbosity,
  type UntypedServiceImplementation,
} from "@grpc/grpc-js";
import { HealthImplementation, service as healthService } from "grpc-health-check";
import type { Registry } from "prom-client";
import type { Gate } from "../auth/gate.ts";
import { definitionOf } from "../messages/definition.ts";
import type { Certificate } from "../platform/certificate.ts";
import { within } from "../platform/lifecycle.ts";
import { admission, operationOf } from "./admission.ts";
import { serverCredentials } from "./credentials.ts";
import { observer } from "./observe.ts";
import { addReflection, REFLECTION_METHODS } from "./reflection.ts";

// grpc-js would write to stderr beside the log; what goes wrong is told by the calls' statuses and by listen().
setLogVerbosity(logVerbosity.NONE);

const LIMITS = {
  /** Bytes, after decompression too. */
  "grpc.max_receive_message_length": 4 * 1024 * 1024,
  /** Calls at a time on one connection. */
  "grpc.max_concurrent_streams": 100,
  /** Nobody asks for the books that channelz keeps of every call. */
  "grpc.enable_channelz": 0,
  /** A peer that is gone without a word is noticed within 30 + 10 s, and its score stopped. */
  "grpc.keepalive_time_ms": 30_000,
  "grpc.keepalive_timeout_ms": 10_000,
  /** A connection without calls is closed after this time. */
  "grpc.max_connection_idle_ms": 300_000,
} as const;

export interface ServedService {
  readonly descriptor: DescService;
  /** By the methods' names in lowerCamelCase. */
  readonly handlers: UntypedServiceImplementation;
}

/** Everything that a server of these services can be called for, as "package.Service/Method". */
export function rpcOperations(descriptors: readonly DescService[]): string[] {
  const own = descriptors.flatMap((descriptor) => Object.values(definitionOf(descriptor)));
  const paths = [...own, ...Object.values(healthService)].map(({ path }) => operationOf(path));
  return [...paths, ...REFLECTION_METHODS];
}

export class RpcServer {
  readonly #server: Server;
  readonly #health = new HealthImplementation();
  /** Health is told of the server ("") and of each of its services by name. */
  readonly #names: readonly string[];

  readonly #credentials: ServerCredentials;

  /** `gate`: what every call has to pass. `certificate`: undefined: in clear. */
  constructor(services: readonly ServedService[], registry: Registry, gate: Gate, certificate?: Certificate) {
    this.#credentials = serverCredentials(certificate);
    const descriptors = services.map(({ descriptor }) => descriptor);
    this.#names = ["", ...descriptors.map(({ typeName }) => typeName)];
    this.#server = new Server({ ...LIMITS, interceptors: [observer(registry), admission(gate)] });
    for (const { descriptor, handlers } of services) {
      this.#server.addService(definitionOf(descriptor), handlers);
    }
    this.setServing(false);
    this.#health.addToServer(this.#server);
    addReflection(this.#server, descriptors);
  }

  setServing(serving: boolean): void {
    for (const name of this.#names) this.#health.setStatus(name, serving ? "SERVING" : "NOT_SERVING");
  }

  /** Listens on a "host:port"; resolves with the port taken. */
  listen(address: string): Promise<number> {
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    this.#server.bindAsync(address, this.#credentials, (error, port) => {
      if (error) reject(error);
      else resolve(port);
    });
    return promise;
  }

  /** Takes no new connections, lets calls end for at most `limitMs`, then cuts those that are left. */
  async close(limitMs: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#server.tryShutdown(() => resolve());
    await within(limitMs, () => promise);
    this.#server.forceShutdown();
  }
}
