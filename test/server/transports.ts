/** REST and gRPC over a controller's services in this process; the token contains the tenant. */
import assert from "node:assert/strict";
import { Registry } from "prom-client";
import { gate } from "../../src/auth/access/gate.ts";
import { Permissions } from "../../src/auth/access/permissions.ts";
import { type Authenticate, ROLES } from "../../src/auth/principal.ts";
import { Connection } from "../../src/client/connection/connection.ts";
import type { ControllerSettings } from "../../src/controller/controller.ts";
import type { operations } from "../../src/gen/rest/controller.ts";
import { CONTROLLER_DESCRIPTORS, controllerServices } from "../../src/grpc/controller.ts";
import { type ConnectionLimits, RpcServer, rpcOperations } from "../../src/grpc/server.ts";
import { Failure } from "../../src/platform/failure.ts";
import { Connections } from "../../src/platform/net/connections.ts";
import { openConsole } from "../../src/processes/controller/console.ts";
import { controllerHandlers } from "../../src/rest/api/controller.ts";
import { readDescription } from "../../src/rest/contract/description.ts";
import { CONSOLE_OPERATION } from "../../src/rest/pages/console.ts";
import { closeServer, restServer } from "../../src/rest/server.ts";
import type { Store } from "../../src/store/contract/store.ts";
import { LOG, System } from "../controller/system.ts";

/**
 * Accepts "Bearer TENANT" as admin, "Bearer TENANT~reader" or "Bearer TENANT~none". Real tokens are tested elsewhere.
 */
const authenticate: Authenticate = async (authorization) => {
  const [, tenant, role = "admin"] = /^Bearer (\w+)(?:~(\w+))?$/.exec(authorization ?? "") ?? [];
  if (tenant === undefined) throw new Failure("TOKEN_MISSING", "The request has no tenant.");
  return { tenant, subject: `user of ${tenant}`, roles: ROLES.filter((known) => known === `svc:${role}`) };
};

interface PortLimits {
  /** The connection limits of each port. */
  readonly connections?: () => Connections;
  /** For gRPC connections. */
  readonly connectionLimits?: ConnectionLimits;
}

export class Transports implements AsyncDisposable {
  readonly system: System;
  /** "http://127.0.0.1:PORT" */
  readonly rest: string;
  /** "127.0.0.1:PORT" */
  readonly grpc: string;
  readonly #close: () => Promise<void>;

  private constructor(system: System, rest: string, grpc: string, close: () => Promise<void>) {
    this.system = system;
    this.rest = rest;
    this.grpc = grpc;
    this.#close = close;
  }

  /** `instead` replaces methods of the store. */
  static async open(
    instead?: (store: Store) => Partial<Store>,
    settings: Partial<ControllerSettings> = {},
    { connections = () => new Connections(), connectionLimits }: PortLimits = {},
  ): Promise<Transports> {
    const system = await System.open(settings, instead);
    const registry = new Registry();
    const description = await readDescription<keyof operations>("controller");
    const parts = {
      operations: () => system.controller,
      readiness: () => system.controller.readiness(),
      scoreTimeoutMs: 1_000,
    };
    const grpcOperations = rpcOperations(CONTROLLER_DESCRIPTORS);
    const http = [...description.operations.map(({ id }) => id), CONSOLE_OPERATION];
    const permissions = await Permissions.load({ grpc: grpcOperations, http });
    const admitting = gate(authenticate, permissions);
    const options = {
      ...{ gate: admitting, registry, log: LOG, tryItOut: false, requestTimeoutMs: 60_000 },
      connections: connections(),
      console: await openConsole({ kind: "open" }),
    } as const;
    const app = restServer(description, controllerHandlers(parts, description), options);
    const services = controllerServices(() => system.controller);
    const rpc = new RpcServer({
      ...{ services, registry, gate: admitting },
      ...{ connections: connections(), connectionLimits },
    });
    const rest = await app.listen({ host: "127.0.0.1", port: 0 });
    const grpc = `127.0.0.1:${await rpc.listen("127.0.0.1", 0)}`;
    rpc.setServing(true);
    return new Transports(system, rest, grpc, async () => {
      system.controller.refuseNew();
      system.controller.endWaits();
      await rpc.close(1_000);
      await closeServer(app);
      await system.close();
    });
  }

  /** A gRPC client of a tenant; undefined: without a token. */
  connect(tenant: string | undefined): Connection {
    return new Connection({ address: this.grpc, token: async () => tenant });
  }

  /** Sends a REST request as a tenant; the response is JSON. */
  async ask(
    tenant: string,
    path: string,
    init: Omit<RequestInit, "headers"> & { readonly headers?: Readonly<Record<string, string>> } = {},
  ) {
    const headers = { authorization: `Bearer ${tenant}`, ...init.headers };
    const response = await fetch(this.rest + path, { ...init, headers });
    const body: unknown = await response.json();
    assert.ok(typeof body === "object" && body !== null);
    return {
      status: response.status,
      headers: response.headers,
      body: body as Readonly<Record<string, unknown>>,
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#close();
  }
}
