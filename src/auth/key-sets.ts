/** The key sets of all providers, by their endpoints. */
import { Counter, type Registry } from "prom-client";
import type { Log } from "../platform/log.ts";
import { KeySet } from "./key-set.ts";

export interface KeySetsOptions {
  readonly allowHttp: boolean;
  readonly log: Log;
  readonly registry: Registry;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** As in FetchOptions. */
  readonly fetchLimitMs?: number | undefined;
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
      help: "Fetches of key sets by outcome: read, unreadable, or why there was no answer to read.",
      labelNames: ["outcome"],
      registers: [options.registry],
    });
  }

  of(endpoint: string): KeySet {
    const known = this.#byEndpoint.get(endpoint);
    if (known !== undefined) return known;
    const { allowHttp, log, now, fetchLimitMs } = this.#options;
    const fetched = (outcome: string) => this.#fetches.inc({ outcome });
    const keySet = new KeySet({ endpoint, allowHttp, log, now, fetchLimitMs, fetched });
    if (this.#isClosed) keySet.close();
    this.#byEndpoint.set(endpoint, keySet);
    return keySet;
  }

  /** Forgets those of all other endpoints. */
  keepOnly(endpoints: ReadonlySet<string>): void {
    for (const [endpoint, keySet] of this.#byEndpoint) {
      if (endpoints.has(endpoint)) continue;
      keySet.close();
      this.#byEndpoint.delete(endpoint);
    }
  }

  /** Ends the fetches that are under way. Keys that are known go on working; no more are fetched. */
  close(): void {
    this.#isClosed = true;
    for (const keySet of this.#byEndpoint.values()) keySet.close();
  }
}
