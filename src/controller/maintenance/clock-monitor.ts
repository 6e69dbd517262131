/** Reads the store's clock: detects jumps of it, and whether the store answers at all. */
import type { LeaseGuard } from "../../jobs/lease-guard.ts";
import type { Log } from "../../platform/observability/log.ts";
import type { Store } from "../../store/contract/store.ts";
import type { ControllerMetrics } from "../telemetry/metrics.ts";

export interface ClockMonitorOptions {
  readonly store: Store;
  readonly log: Log;
  readonly metrics: ControllerMetrics;
  /** Gets the result of every reading. */
  readonly guard: LeaseGuard;
  readonly leaseMs: number;
}

export class ClockMonitor {
  readonly #options: ClockMonitorOptions;

  constructor(options: ClockMonitorOptions) {
    this.#options = options;
  }

  /** Throws STORE_UNAVAILABLE. */
  async check(): Promise<void> {
    const { guard, log, metrics } = this.#options;
    const before = performance.now();
    const wall = await this.#ask();
    const after = performance.now();
    metrics.roundTrip.observe((after - before) / 1000);
    const jump = guard.observe({ wall, steady: (before + after) / 2, within: (after - before) / 2 });
    if (jump !== 0) log.warn({ jumpMs: Math.round(jump) }, "the database's clock jumped");
  }

  /**
   * Stops leases from expiring only if the store cannot even return its time, because then nodes cannot renew. A store
   * that fails in other ways must not keep lost leases alive. Throws STORE_UNAVAILABLE.
   */
  async lookForOutage(): Promise<void> {
    const { guard, leaseMs } = this.#options;
    const before = performance.now();
    let answered = false;
    try {
      await this.check();
      answered = performance.now() - before < leaseMs / 2;
    } finally {
      if (!answered) guard.unavailable(performance.now());
    }
  }

  async #ask(): Promise<number> {
    const { store, metrics } = this.#options;
    try {
      const wall = await store.now();
      metrics.storeUp.set(1);
      return wall;
    } catch (thrown) {
      metrics.storeUp.set(0);
      throw thrown;
    }
  }
}
