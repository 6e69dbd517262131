/** Writes the status of SvcTenants. Only one of the controllers writes, and only what changed. */
import { Counter, type Registry } from "prom-client";
import type { KeySets } from "../auth/keys/key-sets.ts";
import { Background, pause } from "../platform/concurrency/lifecycle.ts";
import { Notifier, notifyOnAbort } from "../platform/concurrency/notifier.ts";
import type { Log } from "../platform/observability/log.ts";
import type { ApiClient } from "./api-client.ts";
import { ApiFault } from "./api-fault.ts";
import { KeyChecks } from "./key-checks.ts";
import type { LeaseHolder } from "./lease.ts";
import type { Resource } from "./resource.ts";
import { SecretChecks } from "./secret-checks.ts";
import type { StorageSecrets } from "./storage-secrets.ts";
import { API_VERSION, pathOfTenants, type SvcTenants } from "./svc-tenants.ts";
import { isWritten, type StatusNow, statusOf, type TenantStatus } from "./tenant-status.ts";
import type { ValidationResult } from "./validation-results.ts";

/** Minimum milliseconds between two rounds. A status is not written more often, even if someone else writes it too. */
const ROUND_MS = 1_000;
/** Maximum milliseconds between two rounds, to update times of fetches and to retry keys. */
const REST_MS = 30_000;
/** Milliseconds until the next round after a failed write. */
const FAILED_MS = 5_000;
const FIELD_MANAGER = "svc-controller";

/** `refused`: this write failed; `away`: no other write can succeed either. */
type Outcome = "written" | "refused" | "away";

export interface StatusWriterOptions {
  readonly client: ApiClient;
  readonly namespace: string;
  readonly tenants: SvcTenants;
  readonly keySets: KeySets;
  readonly secrets: StorageSecrets;
  /** Only the holder of this lease writes. */
  readonly lease: LeaseHolder;
  readonly log: Log;
  readonly registry: Registry;
}

export class StatusWriter {
  readonly #options: StatusWriterOptions;
  readonly #writes: Counter<"outcome">;
  readonly #keys: KeyChecks;
  readonly #secrets: SecretChecks;
  readonly #writing = new Background((signal, isStarted) => this.#run(signal, isStarted));
  /** The status written to a resource, until the watch reports it. */
  readonly #written = new WeakMap<Resource, TenantStatus>();
  /** Resources with an unknown condition in the previous round. */
  readonly #waiting = new WeakSet<Resource>();
  readonly #notifier = new Notifier();
  #troubled = false;

  constructor(options: StatusWriterOptions) {
    this.#options = options;
    this.#keys = new KeyChecks(options.keySets, () => this.wake());
    this.#secrets = new SecretChecks(options.secrets, () => this.wake());
    this.#writes = new Counter({
      name: "svc_tenants_status_writes_total",
      help: "Status writes of SvcTenants by the controller that holds the lease.",
      labelNames: ["outcome"],
      registers: [options.registry],
    });
    for (const outcome of ["ok", "failed"] as const) this.#writes.inc({ outcome }, 0);
  }

  start(): void {
    this.#writing.start();
  }

  /** Idempotent; may be called before the start. */
  async stop(): Promise<void> {
    await this.#writing.stop();
    this.#keys.stop();
    this.#secrets.stop();
  }

  /** Signals that there may be something to write. */
  wake(): void {
    this.#notifier.notify();
  }

  async #run(signal: AbortSignal, isStarted: () => void): Promise<void> {
    isStarted();
    notifyOnAbort(signal, this.#notifier);
    while (!signal.aborted) {
      // Notifications up to now are covered by this round.
      await this.#notifier.wait(0);
      const wentWell = !this.#options.lease.isHeld || (await this.#round(signal));
      await pause(wentWell ? ROUND_MS : FAILED_MS, signal);
      if (wentWell && !signal.aborted) await this.#notifier.wait(REST_MS);
    }
  }

  /** Returns false if a write failed. */
  async #round(signal: AbortSignal): Promise<boolean> {
    const { tenants, lease } = this.#options;
    this.#keys.startDue(tenants.results);
    this.#secrets.startDue(tenants.results);
    let wentWell = true;
    for (const result of tenants.results) {
      if (signal.aborted || !lease.isHeld) break;
      const before = this.#written.get(result.resource) ?? result.resource.status;
      const status = statusOf(result, { ...this.#partsOf(result), before, now: new Date() });
      if (isWritten(status, before) || this.#mayPass(result, status)) continue;
      const outcome = await this.#write(result, status, signal);
      if (outcome !== "written") wentWell = false;
      if (outcome === "away") break;
    }
    return wentWell;
  }

  #partsOf(result: ValidationResult): Pick<StatusNow, "keys" | "secrets"> {
    if (result.kind !== "accepted") return { keys: undefined, secrets: undefined };
    const { realm } = result;
    return { keys: this.#keys.stateOf(realm), secrets: this.#secrets.stateOf(realm.tenant) };
  }

  /** A running fetch of keys or Secrets is written only if it takes longer than a round. */
  #mayPass({ resource }: ValidationResult, { conditions }: TenantStatus): boolean {
    if (!conditions.some(({ status }) => status === "Unknown") || this.#waiting.has(resource)) return false;
    this.#waiting.add(resource);
    this.#notifier.notify();
    return true;
  }

  async #write(result: ValidationResult, status: TenantStatus, signal: AbortSignal): Promise<Outcome> {
    const { client, namespace, log } = this.#options;
    const { name, uid } = result.resource;
    const path = `${pathOfTenants(namespace)}/${name}/status`;
    // Includes the uid, so that the status is not written to a new object of the same name.
    const body = { apiVersion: API_VERSION, kind: "SvcTenant", metadata: { name, uid }, status };
    const query = { fieldManager: FIELD_MANAGER, force: "true" };
    try {
      await client.ask({ method: "PATCH", path, query, body, type: "application/apply-patch+yaml", signal });
      this.#written.set(result.resource, status);
      this.#writes.inc({ outcome: "ok" });
      this.#troubled = false;
      return "written";
    } catch (thrown) {
      if (signal.aborted) return "away";
      if (!(thrown instanceof ApiFault)) throw thrown;
      // The object was deleted or replaced; the watch will report it.
      if (thrown.reason === "not_found" || thrown.reason === "conflict") return "written";
      this.#writes.inc({ outcome: "failed" });
      if (!this.#troubled)
        log.warn(
          { namespace, name, reason: thrown.message },
          "failed to write the status of a SvcTenant; retrying",
        );
      this.#troubled = true;
      return thrown.reason === "refused" ? "refused" : "away";
    }
  }
}
