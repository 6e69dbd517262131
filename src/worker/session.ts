/** One registration with the controller: its heartbeats, and its pulls while it takes tasks. */
import type { Connection } from "../client/connection/connection.ts";
import {
  type HeartbeatResponse,
  NodeService,
  type RegisterNodeResponse,
} from "../gen/proto/svc/v1/node_pb.ts";
import { BackOff } from "../platform/concurrency/back-off.ts";
import { pause } from "../platform/concurrency/lifecycle.ts";
import { Failure } from "../platform/failure.ts";
import type { Log } from "../platform/observability/log.ts";
import { type Contact, endsSession } from "./contact.ts";
import type { Leases } from "./lease.ts";
import type { NodeMetrics } from "./metrics.ts";
import { pullWork } from "./pulling.ts";
import type { Worker } from "./worker.ts";

/** Milliseconds that the controller may hold a heartbeat. Progress is reported this often while tasks run. */
const HOLD_WORKING_MS = 2_000;
const HOLD_IDLE_MS = 10_000;
/** Additional milliseconds until a heartbeat times out. */
const ANSWER_MS = 5_000;
/** Minimum milliseconds between two heartbeats, for a controller that answers at once. */
const SPACING_MS = 100;
const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 2_000;
/** Milliseconds that a heartbeat gets before it is aborted for another one. */
const MIN_MS = 400;
const LEAVE_TIMEOUT_MS = 3_000;

export interface SessionParts {
  readonly connection: Connection;
  readonly slots: number;
  readonly leases: Leases;
  readonly worker: Worker;
  readonly contact: Contact;
  readonly metrics: NodeMetrics;
  readonly log: Log;
}

export class Session {
  readonly #parts: SessionParts;
  readonly #secret: string;
  /** Maximum milliseconds that the controller may hold a heartbeat, so that a lease always includes several. */
  readonly #longestHoldMs: number;
  /**
   * Maximum milliseconds between two attempts, so that a controller that comes back can renew leases before they
   * expire.
   */
  readonly #longestPauseMs: number;
  readonly #draining = new AbortController();
  /** The heartbeat that the controller holds. */
  #held = new AbortController();
  #heldSince = 0;
  #waking: NodeJS.Timeout | undefined;

  constructor({ session, leaseMs }: Pick<RegisterNodeResponse, "session" | "leaseMs">, parts: SessionParts) {
    this.#secret = session;
    this.#longestHoldMs = Math.floor(leaseMs / 3);
    this.#longestPauseMs = Math.min(LONGEST_PAUSE_MS, leaseMs / 4);
    this.#parts = parts;
  }

  /** Whether the node takes no new tasks. */
  get draining(): boolean {
    return this.#draining.signal.aborted;
  }

  /** Takes no new tasks from now on, and reports that. */
  drain(): void {
    this.#parts.metrics.draining.set(1);
    this.#draining.abort();
    this.#wake();
  }

  /** Runs until the signal aborts, or until the controller ends the session; then it resolves with the reason. */
  async run(signal: AbortSignal): Promise<Failure | undefined> {
    const { contact, leases } = this.#parts;
    const over = new AbortController();
    contact.whenInDoubt = () => this.#wake();
    const pulls = pullWork(
      { ...this.#parts, session: this.#secret, onLease: () => this.#wake() },
      AbortSignal.any([signal, over.signal, this.#draining.signal]),
    );
    this.#parts.metrics.draining.set(this.draining ? 1 : 0);
    const reason = await this.#beat(signal);
    over.abort();
    contact.whenInDoubt = () => {};
    clearTimeout(this.#waking);
    if (reason !== undefined) leases.endSession(this.#secret);
    await pulls;
    return reason;
  }

  /** Notifies the controller that the session has ended. A controller that cannot be reached detects it after a lease. */
  async leave(): Promise<void> {
    const request = { session: this.#secret, draining: true, leaving: true };
    try {
      await this.#parts.connection.call(NodeService.method.heartbeat, request, {
        timeoutMs: LEAVE_TIMEOUT_MS,
      });
    } catch (err) {
      this.#parts.log.info({ err }, "failed to sign off from the controller; the session will expire");
    }
  }

  /** Sends one heartbeat after the other. */
  async #beat(signal: AbortSignal): Promise<Failure | undefined> {
    const { contact } = this.#parts;
    const backOff = new BackOff(FIRST_PAUSE_MS, this.#longestPauseMs);
    while (!signal.aborted) {
      const started = performance.now();
      try {
        const response = await this.#heartbeat(signal);
        contact.reached();
        backOff.reset();
        this.#obey(response);
      } catch (thrown) {
        const failure = Failure.from(thrown);
        if (endsSession(failure)) return failure;
        if (!signal.aborted && !this.#held.signal.aborted) {
          contact.fail(failure);
          await pause(backOff.next(), signal);
        }
      }
      await pause(Math.max(0, started + SPACING_MS - performance.now()), signal);
    }
    return undefined;
  }

  #heartbeat(signal: AbortSignal): Promise<HeartbeatResponse> {
    const { connection, contact, leases } = this.#parts;
    clearTimeout(this.#waking);
    this.#waking = undefined;
    this.#held = new AbortController();
    this.#heldSince = performance.now();
    const running = leases.of(this.#secret);
    const usual = running.length > 0 ? HOLD_WORKING_MS : HOLD_IDLE_MS;
    // The first heartbeat after lost contact is answered at once, because reports wait for it.
    const holdMs = contact.lost === undefined ? Math.min(usual, this.#longestHoldMs) : 0;
    const request = { session: this.#secret, running, draining: this.draining, holdMs };
    return connection.call(NodeService.method.heartbeat, request, {
      timeoutMs: holdMs + ANSWER_MS,
      signal: AbortSignal.any([signal, this.#held.signal]),
    });
  }

  #obey({ stop, drain, media }: HeartbeatResponse): void {
    const { leases, log } = this.#parts;
    for (const renewed of media) leases.renewMedia(this.#secret, renewed);
    for (const work of stop) leases.lose(this.#secret, work);
    if (!drain || this.draining) return;
    log.info("draining at the controller's request; running tasks finish, no new ones are taken");
    this.drain();
  }

  /**
   * Soon replaces the held heartbeat with one that includes what changed. The answer to the held one could not report
   * that a new task was cancelled.
   */
  #wake(): void {
    const leastMs = this.#heldSince + MIN_MS - performance.now();
    this.#waking ??= setTimeout(() => this.#held.abort(), Math.max(SPACING_MS, leastMs));
  }
}
