/**
 * Checks whether the keys of tenants can be fetched before their first token arrives, so that mistakes show early.
 * Uses the gateway's own key sets, with their limit of one fetch in 30 s.
 */
import type { KeySetState } from "../auth/keys/key-set.ts";
import type { KeySets } from "../auth/keys/key-sets.ts";
import type { Realm } from "../auth/tenants/realm.ts";
import type { ValidationResult } from "./validation-results.ts";

/** Concurrent fetches. */
const MAX_AT_ONCE = 8;
/** Milliseconds until keys are fetched again if they could not be fetched or none of them is usable. */
const AGAIN_MS = 60_000;

export class KeyChecks {
  readonly #keySets: KeySets;
  readonly #ended: () => void;
  readonly #fetching = new Set<string>();
  /** Endpoints whose fetch is due. */
  #due: string[] = [];

  /** `ended`: called after every fetch. */
  constructor(keySets: KeySets, ended: () => void) {
    this.#keySets = keySets;
    this.#ended = ended;
  }

  stateOf({ jwksEndpoint }: Realm): KeySetState | undefined {
    return this.#keySets.of(jwksEndpoint).state;
  }

  /** Starts the fetches that are due, up to the limit; the end of each starts another. */
  tend(results: readonly ValidationResult[]): void {
    const realms = results.flatMap((result) => (result.kind === "accepted" ? [result.realm] : []));
    this.#keySets.keepOnly(new Set(realms.map(({ jwksEndpoint }) => jwksEndpoint)));
    const due = realms.filter((realm) => realm.tenant.enabled && this.#isDue(realm));
    this.#due = [...new Set(due.map(({ jwksEndpoint }) => jwksEndpoint))];
    this.#fetchNext();
  }

  /** Starts no further fetches. */
  stop(): void {
    this.#due = [];
  }

  #fetchNext(): void {
    while (this.#fetching.size < MAX_AT_ONCE) {
      const endpoint = this.#due.shift();
      if (endpoint === undefined) return;
      if (!this.#fetching.has(endpoint)) void this.#fetch(endpoint);
    }
  }

  #isDue(realm: Realm): boolean {
    const state = this.stateOf(realm);
    if (state === undefined) return true;
    return state.keys === 0 && Date.now() - state.fetchedAt >= AGAIN_MS;
  }

  async #fetch(endpoint: string): Promise<void> {
    this.#fetching.add(endpoint);
    await this.#keySets.of(endpoint).fetch();
    this.#fetching.delete(endpoint);
    this.#ended();
    this.#fetchNext();
  }
}
