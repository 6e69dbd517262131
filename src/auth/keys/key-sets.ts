/** The key sets of all providers, by their endpoints. */
import { Counter, type Registry } from "prom-client";
import type { Log } from "../../platform/observability/log.ts";
import { KeySet } from "./key-set.ts";

export interface KeySetsOptions {
  readonly allowHttp: boolean;
  readonly log: Log;
  readonly registry: Registry;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

export class KeySets {
  readonly #options: KeySetsOptions;
  readonly #fetches: Counter<"outcome">;
  readonly #byEndpoint = new Map<string, KeySet>();
  #isClosed = false;

  constructor(options: KeySetsOptions) {
    this.#options = options;
    this.#fetches = new Counter({
      name: "svc_auth_fetches_total",
      help: "Key set fetches by outcome: read, unreadable, or the reason why there was no response.",
      labelNames: ["outcome"],
      registers: [options.registry],
    });
  }

  of(endpoint: string): KeySet {
    const known = this.#byEndpoint.get(endpoint);
    if (known !== undefined) return known;
    const { allowHttp, log, now } = this.#options;
    const fetched = (outcome: string) => this.#fetches.inc({ outcome });
    const keySet = new KeySet({ endpoint, allowHttp, log, now, fetched });
    if (this.#isClosed) keySet.close();
    this.#byEndpoint.set(endpoint, keySet);
    return keySet;
  }

  /** Closes and forgets the key sets of all other endpoints. */
  keepOnly(endpoints: ReadonlySet<string>): void {
    for (const [endpoint, keySet] of this.#byEndpoint) {
      if (endpoints.has(endpoint)) continue;
      keySet.close();
      this.#byEndpoint.delete(endpoint);
    }
  }

  /** Aborts fetches in progress and prevents new ones. Known keys keep working. */
  close(): void {
    this.#isClosed = true;
    for (const keySet of this.#byEndpoint.values()) keySet.close();
  }
}
