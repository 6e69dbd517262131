/** Leader election of several processes with a Lease (coordination.k8s.io) of the namespace. */

import { Background, pause } from "../platform/concurrency/lifecycle.ts";
import { isObject, type JsonObject } from "../platform/json.ts";
import type { Log } from "../platform/observability/log.ts";
import type { ApiClient } from "./api-client.ts";
import { ApiFault } from "./api-fault.ts";

/** Seconds that a silent holder keeps the lease; waiting processes measure them with their own clocks. */
const HELD_SECONDS = 15;
/**
 * Milliseconds after its last renewal when a holder considers the lease lost, before any other process can acquire it.
 */
const SURE_MS = 10_000;
/** Milliseconds between two attempts to renew or acquire. */
const LOOK_EVERY_MS = 4_000;
const GIVE_BACK_LIMIT_MS = 1_000;

export interface LeaseOptions {
  readonly client: ApiClient;
  readonly namespace: string;
  readonly name: string;
  /** Unique for this process. */
  readonly identity: string;
  readonly log: Log;
  /** Called when this process acquired the lease. */
  readonly gained: () => void;
}

/** The version of the Lease when it was last seen to change. */
interface Seen {
  readonly version: string;
  /** By the clock of this process. */
  readonly at: number;
}

export class LeaseHolder {
  readonly #options: LeaseOptions;
  readonly #path: string;
  readonly #holding = new Background((signal, isStarted) => this.#hold(signal, isStarted));
  #seen: Seen | undefined;
  #renewedAt: number | undefined;
  #troubled = false;

  constructor(options: LeaseOptions) {
    this.#options = options;
    this.#path = `/apis/coordination.k8s.io/v1/namespaces/${options.namespace}/leases`;
  }

  get isHeld(): boolean {
    return this.#renewedAt !== undefined && performance.now() - this.#renewedAt < SURE_MS;
  }

  start(): void {
    this.#holding.start();
  }

  /** Releases the lease, so that others need not wait. */
  async stop(): Promise<void> {
    await this.#holding.stop();
  }

  async #hold(signal: AbortSignal, isStarted: () => void): Promise<void> {
    isStarted();
    while (!signal.aborted) {
      await this.#look(signal);
      await pause(LOOK_EVERY_MS * (0.75 + Math.random() / 4), signal);
    }
    if (this.isHeld) await this.#giveBack(AbortSignal.timeout(GIVE_BACK_LIMIT_MS));
  }

  async #look(signal: AbortSignal): Promise<void> {
    const { log, name, gained } = this.#options;
    const wasHeld = this.isHeld;
    const asked = performance.now();
    try {
      this.#renewedAt = (await this.#acquire(signal)) ? asked : undefined;
      this.#troubled = false;
    } catch (thrown) {
      if (signal.aborted) return;
      if (!(thrown instanceof ApiFault)) throw thrown;
      if (!this.#troubled)
        log.warn({ lease: name, reason: thrown.message }, "failed to read or renew the lease; retrying");
      this.#troubled = true;
    }
    if (this.isHeld === wasHeld) return;
    log.info({ lease: name }, wasHeld ? "lost the lease" : "acquired the lease");
    if (!wasHeld) gained();
  }

  /** Returns whether this process now holds the lease. */
  async #acquire(signal: AbortSignal): Promise<boolean> {
    const { client, name, identity } = this.#options;
    const found = await client.ask({ path: `${this.#path}/${name}`, signal }).catch(absent);
    if (found === undefined) return this.#write("POST", this.#path, this.#newLease({}, 0), signal);
    const { metadata, spec } = partsOf(found);
    const isMine = spec["holderIdentity"] === identity;
    if (!isMine && !this.#isFree(metadata, spec)) return false;
    const lease = { ...this.#newLease(spec, isMine ? 0 : 1), metadata };
    return this.#write("PUT", `${this.#path}/${name}`, lease, signal);
  }

  /** Whether nobody holds the lease, or its holder was silent for its whole duration. */
  #isFree(metadata: JsonObject, spec: JsonObject): boolean {
    const { holderIdentity, leaseDurationSeconds } = spec;
    if (typeof holderIdentity !== "string" || holderIdentity === "") return true;
    const version = String(metadata["resourceVersion"]);
    const now = performance.now();
    if (this.#seen?.version !== version) this.#seen = { version, at: now };
    const heldMs = (typeof leaseDurationSeconds === "number" ? leaseDurationSeconds : HELD_SECONDS) * 1000;
    return now - this.#seen.at > heldMs;
  }

  /** Returns false if another process was faster. */
  async #write(method: "POST" | "PUT", path: string, body: object, signal: AbortSignal): Promise<boolean> {
    try {
      await this.#options.client.ask({ method, path, body, signal });
      return true;
    } catch (thrown) {
      if (thrown instanceof ApiFault && thrown.reason === "conflict") return false;
      throw thrown;
    }
  }

  #newLease(before: JsonObject, transition: 0 | 1): object {
    const { namespace, name, identity } = this.#options;
    const { acquireTime, leaseTransitions } = before;
    const transitions = (typeof leaseTransitions === "number" ? leaseTransitions : 0) + transition;
    const now = microTime();
    const isKept = transition === 0 && typeof acquireTime === "string";
    return {
      apiVersion: "coordination.k8s.io/v1",
      kind: "Lease",
      metadata: { namespace, name },
      spec: {
        holderIdentity: identity,
        leaseDurationSeconds: HELD_SECONDS,
        acquireTime: isKept ? acquireTime : now,
        renewTime: now,
        leaseTransitions: transitions,
      },
    };
  }

  async #giveBack(signal: AbortSignal): Promise<void> {
    const { client, name, identity, log } = this.#options;
    try {
      const path = `${this.#path}/${name}`;
      const { metadata, spec } = partsOf(await client.ask({ path, signal }));
      if (spec["holderIdentity"] !== identity) return;
      const { holderIdentity: _given, ...left } = spec;
      const lease = { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata, spec: left };
      await this.#write("PUT", path, lease, signal);
    } catch (thrown) {
      log.debug({ lease: name, err: thrown }, "failed to release the lease; others wait until it expires");
    }
  }
}

function absent(thrown: unknown): undefined {
  if (thrown instanceof ApiFault && thrown.reason === "not_found") return undefined;
  throw thrown;
}

function partsOf(lease: unknown): { metadata: JsonObject; spec: JsonObject } {
  const metadata = isObject(lease) ? lease["metadata"] : undefined;
  const spec = isObject(lease) ? lease["spec"] : undefined;
  return { metadata: isObject(metadata) ? metadata : {}, spec: isObject(spec) ? spec : {} };
}

/** In the format of Kubernetes lease times. */
function microTime(): string {
  return new Date().toISOString().replace("Z", "000Z");
}
