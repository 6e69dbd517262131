/** Checks whether the credentials of tenants' storages can be read, so that mistakes show in the status. */
import type { Tenant } from "../auth/tenants/realm.ts";
import type { CredentialsSecret } from "../jobs/media/storages.ts";
import { DueChecks } from "./due-checks.ts";
import { keyOf, type SecretFault, type StorageSecrets, secretsOf } from "./storage-secrets.ts";
import { acceptedRealms, type ValidationResult } from "./validation-results.ts";

/** Milliseconds until a usable Secret is checked again, and until an unusable one is. */
const GOOD_MS = 300_000;
const FAULTY_MS = 30_000;

/** The Secrets of a tenant's storages. */
export interface SecretsState {
  /** Whether some of them were not checked yet. */
  readonly isPending: boolean;
  readonly faults: readonly SecretFault[];
}

interface Checked {
  /** Whether the API server has responded. */
  readonly isKnown: boolean;
  readonly fault: SecretFault | undefined;
  readonly at: number;
}

export class SecretChecks {
  readonly #checks: DueChecks;
  #secrets = new Map<string, CredentialsSecret>();
  readonly #checked = new Map<string, Checked>();

  /** `ended`: called after every check. */
  constructor(secrets: StorageSecrets, ended: () => void) {
    this.#checks = new DueChecks(async (key) => {
      const secret = this.#secrets.get(key);
      if (secret !== undefined) this.#record(key, await secrets.check(secret));
      ended();
    });
  }

  /** Returns undefined if the tenant uses no Secret. */
  stateOf(tenant: Tenant): SecretsState | undefined {
    const keys = tenant.enabled ? secretsOf(tenant).map(keyOf) : [];
    if (keys.length === 0) return undefined;
    const checked = keys.map((key) => this.#checked.get(key));
    const faults = checked.flatMap((one) => one?.fault ?? []);
    return { isPending: !checked.every((one) => one?.isKnown), faults };
  }

  /** Starts the checks that are due. */
  startDue(results: readonly ValidationResult[]): void {
    const tenants = acceptedRealms(results).map(({ tenant }) => tenant);
    const secrets = tenants.filter(({ enabled }) => enabled).flatMap(secretsOf);
    this.#secrets = new Map(secrets.map((secret) => [keyOf(secret), secret]));
    for (const key of this.#checked.keys()) if (!this.#secrets.has(key)) this.#checked.delete(key);
    this.#checks.startDue([...this.#secrets.keys()].filter((key) => this.#isDue(key)));
  }

  /** Starts no further checks. */
  stop(): void {
    this.#checks.stop();
  }

  /** Records the result of a check. If the API server did not respond, the previous result stays. */
  #record(key: string, fault: SecretFault | undefined): void {
    const at = performance.now();
    const before = this.#checked.get(key) ?? { isKnown: false, fault: undefined };
    this.#checked.set(
      key,
      fault?.reason === "SecretUnknown" ? { ...before, at } : { isKnown: true, fault, at },
    );
  }

  #isDue(key: string): boolean {
    const checked = this.#checked.get(key);
    if (checked === undefined) return true;
    const isGood = checked.isKnown && checked.fault === undefined;
    return performance.now() - checked.at >= (isGood ? GOOD_MS : FAULTY_MS);
  }
}
