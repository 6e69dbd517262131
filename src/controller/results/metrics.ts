/** Metrics of the results storage. */
import { Counter, Gauge, type Registry } from "prom-client";
import type { ResultPlace } from "../../store/contract/result-store.ts";

export const RESULT_KINDS = ["still", "clip", "scores"] as const;
export type ResultKind = (typeof RESULT_KINDS)[number];
const OPERATIONS = ["put", "get", "delete"] as const;
type Operation = (typeof OPERATIONS)[number];

export class ResultMetrics {
  readonly moved: Counter<"kind" | "to">;
  readonly damaged: Counter;
  readonly #failures: Counter<"operation">;
  readonly #up: Gauge;
  #isUp = true;

  constructor(registry: Registry) {
    const registers = [registry];
    this.moved = new Counter({
      name: "svc_results_moved_total",
      help: "Stills, clips and objects of per-frame scores that this controller moved, by kind and place.",
      labelNames: ["kind", "to"],
      registers,
    });
    this.damaged = new Counter({
      name: "svc_results_damaged_total",
      help: "Reads of stills, clips and per-frame scores that are missing in the results storage, or have other bytes there.",
      registers,
    });
    this.#failures = new Counter({
      name: "svc_results_storage_failures_total",
      help: "Requests that the results storage did not answer as it should, by operation.",
      labelNames: ["operation"],
      registers,
    });
    this.#up = new Gauge({
      name: "svc_results_storage_up",
      help: "1 if the last request to the results storage was answered, else 0; 1 before the first one, and without a results storage.",
      registers,
    });
    this.#up.set(1);
    for (const operation of OPERATIONS) this.#failures.inc({ operation }, 0);
    for (const kind of RESULT_KINDS)
      for (const to of ["storage", "database"]) this.moved.inc({ kind, to }, 0);
  }

  /** Whether the last request was answered. */
  get isUp(): boolean {
    return this.#isUp;
  }

  answered(): void {
    this.#isUp = true;
    this.#up.set(1);
  }

  failed(operation: Operation): void {
    this.#failures.inc({ operation });
    this.#isUp = false;
    this.#up.set(0);
  }

  movedOne(kind: ResultKind, to: ResultPlace): void {
    this.moved.inc({ kind, to });
  }
}
