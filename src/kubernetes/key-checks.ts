/**
 * Checks whether the keys of tenants can be fetched before their first token arrives, so that mistakes show early.
 * Uses the gateway's own key sets, with their limit of one fetch in 30 s.
 */
import type { KeySetState } from "../auth/keys/key-set.ts";
import type { KeySets } from "../auth/keys/key-sets.ts";
import type { Realm } from "../auth/tenants/realm.ts";
import { DueChecks } from "./due-checks.ts";
import { acceptedRealms, type ValidationResult } from "./validation-results.ts";

/** Milliseconds until keys are fetched again if they could not be fetched or none of them is usable. */
const AGAIN_MS = 60_000;

export class KeyChecks {
  readonly #keySets: KeySets;
  readonly #fetches: DueChecks;

  /** `ended`: called after every fetch. */
  constructor(keySets: KeySets, ended: () => void) {
    this.#keySets = keySets;
    this.#fetches = new DueChecks(async (endpoint) => {
      await keySets.of(endpoint).fetch();
      ended();
    });
  }

  stateOf({ jwksEndpoint }: Realm): KeySetState | undefined {
    return this.#keySets.of(jwksEndpoint).state;
  }

  /** Starts the fetches that are due. */
  startDue(results: readonly ValidationResult[]): void {
    const realms = acceptedRealms(results);
    this.#keySets.keepOnly(new Set(realms.map(({ jwksEndpoint }) => jwksEndpoint)));
    const due = realms.filter((realm) => realm.tenant.enabled && this.#isDue(realm));
    this.#fetches.startDue(due.map(({ jwksEndpoint }) => jwksEndpoint));
  }

  /** Starts no further fetches. */
  stop(): void {
    this.#fetches.stop();
  }

  #isDue(realm: Realm): boolean {
    const state = this.stateOf(realm);
    if (state === undefined) return true;
    return state.keys === 0 && Date.now() - state.fetchedAt >= AGAIN_MS;
  }
}
