/** A gateway with a simulated clock and a recorded log. */
import assert from "node:assert/strict";
import pino from "pino";
import { Registry } from "prom-client";
import { Gateway } from "../../src/auth/access/gateway.ts";
import type { Principal } from "../../src/auth/principal.ts";
import type { Realm } from "../../src/auth/tenants/realm.ts";
import { RevocationList, RevocationTable } from "../../src/auth/tokens/revocations.ts";
import { Failure, type FailureCode } from "../../src/platform/failure.ts";
import { GOOD_CLAIMS, NOW } from "./tokens.ts";

/** The realm that the settings of a single provider produce. */
export function realmAt(jwksEndpoint: string, changes: Partial<Realm> = {}): Realm {
  return {
    issuer: GOOD_CLAIMS.iss,
    jwksEndpoint,
    audience: "svc",
    tenantClaim: "tid",
    rolesClaim: "svc_roles",
    tenant: undefined,
    ...changes,
  };
}

export class Bench {
  now = NOW;
  realms: readonly Realm[];
  readonly log: string[] = [];
  readonly gateway: Gateway;
  readonly revocations: RevocationList;
  /** The revocations; none at first. */
  readonly revoked = new RevocationTable();
  readonly #registry = new Registry();

  /** `revocations`: default: a list of `revoked`. */
  constructor(realms: readonly Realm[], revocations?: RevocationList) {
    this.realms = realms;
    this.revocations = revocations ?? new RevocationList();
    if (revocations === undefined) this.revocations.replace(this.revoked);
    this.gateway = new Gateway({
      realms: () => this.realms,
      revocations: this.revocations,
      clockSkewMs: 30_000,
      log: pino({ level: "debug" }, { write: (line) => void this.log.push(line) }),
      registry: this.#registry,
      now: () => this.now,
    });
  }

  async accepts(token: string): Promise<Principal> {
    return this.gateway.authenticate(`Bearer ${token}`);
  }

  /** Returns the message of the refusal. */
  async refuses(token: string, code: FailureCode): Promise<string> {
    return this.refusesHeader(`Bearer ${token}`, code);
  }

  async refusesHeader(header: string | undefined, code: FailureCode): Promise<string> {
    const outcome = await this.gateway.authenticate(header).catch((error: unknown) => error);
    assert.ok(outcome instanceof Failure, `not refused: ${JSON.stringify(outcome)}`);
    assert.equal(outcome.code, code, outcome.message);
    for (const part of (header ?? "").split(/[ .]/).filter((part) => part.length > 12)) {
      assert.ok(!outcome.message.includes(part), "the message quotes the token");
      assert.ok(!this.log.some((line) => line.includes(part)), "the log quotes the token");
    }
    return outcome.message;
  }

  async count(metric: string, label: string): Promise<number> {
    const { values } = (await this.#registry.getSingleMetric(metric)?.get()) ?? { values: [] };
    return values.find(({ labels }) => Object.values(labels).includes(label))?.value ?? 0;
  }
}
