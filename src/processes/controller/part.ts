/** A controller within a process: its store, its services and its three ports. */
import type { FastifyInstance } from "fastify";
import { gate as gateOf } from "../../auth/access/gate.ts";
import { Permissions } from "../../auth/access/permissions.ts";
import { type Authenticate, allowAnonymous } from "../../auth/principal.ts";
import { storeUp } from "../../controller/telemetry/store-up.ts";
import type { operations } from "../../gen/rest/controller.ts";
import { CONTROLLER_DESCRIPTORS, controllerServices } from "../../grpc/controller.ts";
import { RpcServer, rpcOperations } from "../../grpc/server.ts";
import { Background, type Phase, pause, shutDown } from "../../platform/concurrency/lifecycle.ts";
import { Opening } from "../../platform/concurrency/opening.ts";
import { errorCode } from "../../platform/errors.ts";
import { Failure } from "../../platform/failure.ts";
import type { Certificate } from "../../platform/net/certificate.ts";
import { controllerHandlers } from "../../rest/api/controller.ts";
import { type Description, readDescription } from "../../rest/contract/description.ts";
import { MonitoringServer } from "../../rest/monitoring/monitoring.ts";
import { CONSOLE_OPERATION, type ConsolePages } from "../../rest/pages/console.ts";
import { closeServer, restServer } from "../../rest/server.ts";
import { hostPort, ListenError } from "../parts/addresses.ts";
import { type Addresses, listenOn } from "../parts/listen.ts";
import { type AuditLog, openTrail, type TrailParts } from "./audit-log.ts";
import { type Opened, type OpenOptions, openWith } from "./open.ts";

/** Interval in milliseconds of the store checks that feed the gRPC health service. */
const LOOK_EVERY_MS = 2_000;
/** Milliseconds for sending responses and closing idle connections. */
const CLOSE_LIMIT_MS = 3_000;
/** Milliseconds. Background work ends with its current statement; an embedded database writes its last checkpoint. */
const STOP_LIMIT_MS = 10_000;

export interface PartOptions extends OpenOptions {
  readonly settings: OpenOptions["settings"] & {
    readonly host: string;
    /** Ports that are tried in this order until one is free; 0: any free port. */
    readonly metricsPorts: readonly number[];
  };
  readonly authenticate: Authenticate;
  /** Throws the failure that callers get while nobody can be authenticated. */
  readonly checkReady?: () => void;
  /** undefined: no console. */
  readonly console: ConsolePages | undefined;
  /** For REST and gRPC; undefined: both without TLS. Its owner starts and stops it. */
  readonly certificate?: Certificate | undefined;
  /** Its owner closes it. */
  readonly auditLog: AuditLog;
}

export interface ControllerAddresses extends Addresses {
  /** "http://HOST:PORT" */
  readonly metrics: string;
}

export class ControllerPart {
  readonly #options: PartOptions;
  readonly #opening: Opening<Opened>;
  readonly #rest: FastifyInstance;
  readonly #rpc: RpcServer;
  readonly #monitoring: MonitoringServer;
  readonly #health: Background;
  readonly #trail: TrailParts;
  /** Whether REST and gRPC are listening. */
  #isListening = false;

  private constructor(
    options: PartOptions,
    description: Description<keyof operations>,
    permissions: Permissions,
  ) {
    const { settings, certificate, tracer, registry, log } = options;
    this.#options = options;
    storeUp(registry);
    const open = () => openWith(options);
    this.#opening = new Opening({ name: "store", code: "STORE_UNAVAILABLE", open, facts: () => ({}), log });
    const current = () => this.#opening.value.controller;
    const gate = gateOf(options.authenticate, permissions);
    this.#trail = openTrail(options.auditLog, permissions, () => this.#opening.value.store, log);
    const { audit } = this.#trail;
    const parts = {
      operations: current,
      readiness: async () => this.#readiness(),
      scoreTimeoutMs: settings.scoreTimeout * 1000,
    };
    this.#rest = restServer(description, controllerHandlers(parts, description), {
      gate,
      registry,
      log,
      tryItOut: settings.uiTryItOut,
      requestTimeoutMs: settings.requestTimeout * 1000,
      console: options.console,
      audit,
      certificate,
      tracer,
      allowedHosts: settings.allowedHosts,
    });
    const services = controllerServices(current);
    this.#rpc = new RpcServer({ services, registry, gate, audit, certificate, tracer });
    this.#monitoring = new MonitoringServer({
      registry,
      ready: parts.readiness,
      allowedHosts: settings.allowedHosts,
    });
    this.#health = new Background((signal, isStarted) => this.#reportHealth(signal, isStarted));
  }

  /** Throws unless the table of permissions has exactly the operations of REST and gRPC. */
  static async build(options: PartOptions): Promise<ControllerPart> {
    const isAnonymous = options.authenticate === allowAnonymous;
    const description = await readDescription<keyof operations>("controller", { isAnonymous });
    const grpc = rpcOperations(CONTROLLER_DESCRIPTORS);
    const permissions = await Permissions.load({
      grpc,
      http: [...description.operations.map(({ id }) => id), CONSOLE_OPERATION],
    });
    return new ControllerPart(options, description, permissions);
  }

  /**
   * Opens the store and starts to listen. If the store cannot be reached, retries in the background and returns an
   * error to callers. If the store must not be used, for example because another process has it open, throws. Probes
   * are answered before that: migrating large tables takes time, and a process that does not respond meanwhile counts
   * as dead.
   */
  async start(): Promise<ControllerAddresses> {
    this.#opening.start();
    try {
      const [monitoring] = await Promise.allSettled([this.#listenForProbes(), this.#opening.tried]);
      const failure = await this.#opening.tried;
      if (failure !== undefined && failure.code !== "STORE_UNAVAILABLE") throw failure;
      // Checked after the store, so that someone who starts svc twice learns that the store is in use, not just a port.
      if (monitoring.status === "rejected") throw monitoring.reason;
      const addresses = { ...(await this.#listen()), metrics: monitoring.value };
      this.#isListening = true;
      this.#health.start();
      this.#trail.start();
      return addresses;
    } catch (thrown) {
      await shutDown(this.phases(0), this.#options.log);
      throw thrown;
    }
  }

  #listen(): Promise<Addresses> {
    const { settings, certificate } = this.#options;
    return listenOn(this.#rest, this.#rpc, settings, certificate === undefined ? "http" : "https");
  }

  /** Returns the address, "http://HOST:PORT". */
  async #listenForProbes([port = 0, ...others] = this.#options.settings.metricsPorts): Promise<string> {
    const { host } = this.#options.settings;
    try {
      return `http://${hostPort(host, await this.#monitoring.listen(host, port))}`;
    } catch (error) {
      if (others.length > 0 && errorCode(error) === "EADDRINUSE") return this.#listenForProbes(others);
      throw new ListenError("--metrics-port", hostPort(host, port), error);
    }
  }

  /** The shutdown phases. Active requests get `drainMs`; the metrics stay readable until the end. */
  phases(drainMs: number): Phase[] {
    return [
      { name: "end streams and polls", limitMs: 2_500, run: () => this.#refuseNew() },
      {
        name: "finish requests",
        limitMs: drainMs + CLOSE_LIMIT_MS,
        run: () => this.#finishRequests(drainMs),
      },
      {
        name: "stop the controller",
        limitMs: STOP_LIMIT_MS,
        run: () => this.#opening.opened?.controller.stop(),
      },
      this.#trail.phase,
      { name: "close the store", limitMs: STOP_LIMIT_MS, run: () => this.#closeStore() },
      { name: "close the monitoring port", limitMs: 1_000, run: () => this.#monitoring.close() },
    ];
  }

  async #refuseNew(): Promise<void> {
    await this.#health.stop();
    this.#rpc.setServing(false);
    this.#opening.opened?.controller.refuseNew();
  }

  /** Closes both ports in parallel, so that they share the time limit. */
  async #finishRequests(drainMs: number): Promise<void> {
    const late = setTimeout(() => this.#opening.opened?.controller.endWaits(), drainMs);
    try {
      await Promise.all([this.#rpc.close(drainMs + 500), closeServer(this.#rest)]);
    } finally {
      clearTimeout(late);
    }
  }

  async #closeStore(): Promise<void> {
    await this.#opening.stop();
    await this.#opening.opened?.store.close();
  }

  async #reportHealth(signal: AbortSignal, isStarted: () => void): Promise<void> {
    isStarted();
    while (!signal.aborted) {
      const serving = await this.#isReady();
      if (!signal.aborted) this.#rpc.setServing(serving);
      await pause(LOOK_EVERY_MS, signal);
    }
  }

  async #readiness() {
    this.#options.checkReady?.();
    const { controller } = this.#opening.value;
    if (this.#isListening) return controller.readiness();
    throw new Failure(
      "STORE_UNAVAILABLE",
      "The store is open, but the controller is not listening yet. Try again.",
    );
  }

  async #isReady(): Promise<boolean> {
    try {
      await this.#readiness();
      return true;
    } catch {
      return false;
    }
  }
}
