/** A controller as a part of a process: its store, its services and its three ports. */
import type { FastifyInstance } from "fastify";
import type { Registry } from "prom-client";
import { type Gate, gate } from "../auth/gate.ts";
import { Permissions } from "../auth/permissions.ts";
import type { Authenticate } from "../auth/principal.ts";
import { type Controller, openController } from "../controller/controller.ts";
import type { MediaPolicy } from "../controller/media-policy.ts";
import type { operations } from "../gen/rest/controller.ts";
import type { Certificate } from "../platform/certificate.ts";
import { Background, type Phase, pause, type StopSignal, shutDown } from "../platform/lifecycle.ts";
import type { Log } from "../platform/log.ts";
import { Opening } from "../platform/opening.ts";
import { controllerHandlers } from "../rest/controller.ts";
import { Description } from "../rest/description.ts";
import { MonitoringServer } from "../rest/monitoring.ts";
import { closeServer, restServer } from "../rest/server.ts";
import { CONTROLLER_DESCRIPTORS, controllerServices } from "../rpc/controller.ts";
import { RpcServer, rpcOperations } from "../rpc/server.ts";
import type { Store } from "../store/store.ts";
import { hostPort, ListenError } from "./addresses.ts";
import type { ControlSettings } from "./controller-settings.ts";
import { type Addresses, listenOn } from "./listen.ts";

const DAY_MS = 86_400_000;
/** Milliseconds between two looks whether the store answers, for those who watch health over gRPC. */
const LOOK_EVERY_MS = 2_000;
/** Milliseconds for answers to leave, and for idle connections to close. */
const CLOSE_LIMIT_MS = 3_000;
/** Milliseconds: what runs in the background ends with its statement; an embedded database writes its last checkpoint. */
const STOP_LIMIT_MS = 10_000;

export interface PartOptions {
  readonly settings: ControlSettings & { readonly host: string };
  readonly authenticate: Authenticate;
  /** Tenant whose nodes serve all tenants; undefined: none. */
  readonly fleetTenant: string | undefined;
  /** Which files jobs may name. */
  readonly media: MediaPolicy;
  readonly openStore: () => Promise<Store>;
  /** Of REST and gRPC; undefined: both in clear. Whoever opened it starts and stops it. */
  readonly certificate?: Certificate | undefined;
  readonly registry: Registry;
  readonly log: Log;
}

export interface ControllerAddresses extends Addresses {
  /** "http://HOST:PORT" */
  readonly metrics: string;
}

interface Opened {
  readonly store: Store;
  readonly controller: Controller;
}

export class ControllerPart {
  readonly #options: PartOptions;
  readonly #opening: Opening<Opened>;
  readonly #rest: FastifyInstance;
  readonly #rpc: RpcServer;
  readonly #monitoring: MonitoringServer;
  readonly #health: Background;

  private constructor(options: PartOptions, description: Description<keyof operations>, gate: Gate) {
    const { settings, certificate, registry, log } = options;
    this.#options = options;
    const open = () => openWith(options);
    this.#opening = new Opening({ name: "store", code: "STORE_UNAVAILABLE", open, facts: () => ({}), log });
    const current = () => this.#opening.value.controller;
    const parts = {
      operations: current,
      readiness: async () => current().readiness(),
      scoreTimeoutMs: settings.scoreTimeout * 1000,
    };
    this.#rest = restServer(description, controllerHandlers(parts, description), {
      gate,
      registry,
      log,
      tryItOut: settings.uiTryItOut,
      requestTimeoutMs: settings.requestTimeout * 1000,
      certificate,
    });
    this.#rpc = new RpcServer(controllerServices(current), registry, gate, certificate);
    this.#monitoring = new MonitoringServer({ registry });
    this.#health = new Background((signal, isStarted) => this.#tellHealth(signal, isStarted));
  }

  /** Throws when an operation has no permission, or a permission no operation. */
  static async build(options: PartOptions): Promise<ControllerPart> {
    const description = await Description.load<keyof operations>("controller");
    const grpc = rpcOperations(CONTROLLER_DESCRIPTORS);
    const permissions = await Permissions.load({ grpc, http: description.operationIds });
    return new ControllerPart(options, description, gate(options.authenticate, permissions));
  }

  /**
   * Opens the store and listens. A store that cannot be reached is tried again in the background, and
   * callers are told; one that must not be used, for example because another process has it, is thrown.
   */
  async #start(): Promise<ControllerAddresses> {
    this.#opening.start();
    try {
      const failure = await this.#opening.tried;
      if (failure !== undefined && failure.code !== "STORE_UNAVAILABLE") throw failure;
      const addresses = await this.#listen();
      this.#health.start();
      return addresses;
    } catch (thrown) {
      await shutDown(this.phases(0), this.#options.log);
      throw thrown;
    }
  }

  /** A signal to stop that comes before the store is open ends the process: there is nothing to finish. */
  async startUnless(stopSignal: Promise<StopSignal>): Promise<ControllerAddresses> {
    const addresses = await Promise.race([this.#start(), stopSignal.then(() => undefined)]);
    if (addresses === undefined) {
      this.#options.log.info("stopped before the store was open");
      process.exit(0);
    }
    return addresses;
  }

  async #listen(): Promise<ControllerAddresses> {
    const { settings, certificate } = this.#options;
    const { host, metricsPort } = settings;
    const scheme = certificate === undefined ? "http" : "https";
    const addresses = await listenOn(this.#rest, this.#rpc, settings, scheme);
    const port = await this.#monitoring.listen(host, metricsPort).catch((error: unknown) => {
      throw new ListenError("--metrics-port", hostPort(host, metricsPort), error);
    });
    return { ...addresses, metrics: `http://${hostPort(host, port)}` };
  }

  /** How it stops. Requests under way get `drainMs`; the metrics can be read to the end. */
  phases(drainMs: number): Phase[] {
    return [
      { name: "end streams and waits", limitMs: 2_500, run: () => this.#refuseNew() },
      { name: "close gRPC", limitMs: drainMs + CLOSE_LIMIT_MS, run: () => this.#rpc.close(drainMs + 500) },
      { name: "close REST", limitMs: drainMs + CLOSE_LIMIT_MS, run: () => closeServer(this.#rest) },
      {
        name: "stop the controller",
        limitMs: STOP_LIMIT_MS,
        run: () => this.#opening.opened?.controller.stop(),
      },
      { name: "close the store", limitMs: STOP_LIMIT_MS, run: () => this.#closeStore() },
      { name: "close the monitoring port", limitMs: 1_000, run: () => this.#monitoring.close() },
    ];
  }

  async #refuseNew(): Promise<void> {
    await this.#health.stop();
    this.#rpc.setServing(false);
    this.#opening.opened?.controller.refuseNew();
  }

  async #closeStore(): Promise<void> {
    await this.#opening.stop();
    await this.#opening.opened?.store.close();
  }

  async #tellHealth(signal: AbortSignal, isStarted: () => void): Promise<void> {
    isStarted();
    while (!signal.aborted) {
      const serving = await this.#isReady();
      if (!signal.aborted) this.#rpc.setServing(serving);
      await pause(LOOK_EVERY_MS, signal);
    }
  }

  async #isReady(): Promise<boolean> {
    try {
      await this.#opening.value.controller.readiness();
      return true;
    } catch {
      return false;
    }
  }
}

async function openWith(options: PartOptions): Promise<Opened> {
  const { settings, fleetTenant, media, openStore, registry, log } = options;
  const store = await openStore();
  const controller = openController({
    store,
    log,
    registry,
    settings: {
      leaseMs: settings.lease * 1000,
      segmentSeconds: settings.segmentSeconds,
      retentionMs: settings.retention * DAY_MS,
      media,
      fleetTenant,
    },
  });
  controller.start();
  return { store, controller };
}
