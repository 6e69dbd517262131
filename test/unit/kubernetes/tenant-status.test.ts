/** The status of a SvcTenant, and when it is written. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { KeySetState } from "../../../src/auth/keys/key-set.ts";
import type { SecretsState } from "../../../src/kubernetes/secret-checks.ts";
import { SecretFault } from "../../../src/kubernetes/storage-secrets.ts";
import { isWritten, statusOf } from "../../../src/kubernetes/tenant-status.ts";
import { EntryReader, judge, type ValidationResult } from "../../../src/kubernetes/validation-results.ts";

const NOW = new Date("2026-05-17T09:30:00.123Z");
const LATER = new Date("2026-05-17T09:45:00Z");
const OIDC = { issuer: "https://id.example/", jwksEndpoint: "https://id.example/keys" };
const READ: KeySetState = { fetchedAt: NOW.getTime(), outcome: "read", keys: 2 };

function verdictOn(over: object, status?: unknown, generation = 1): ValidationResult {
  const spec = { tenantId: "acme", oidc: OIDC, ...over };
  const createdAt = "2026-05-17T09:00:00Z";
  const resource = { name: "acme", uid: "1", createdAt, generation, deleting: false, spec, status };
  return judge([resource], new EntryReader({ allowHttp: false }))[0] ?? assert.fail("no verdict");
}

function statusNow(
  result: ValidationResult,
  keys: KeySetState | undefined,
  now: Date,
  secrets?: SecretsState,
) {
  return statusOf(result, { keys, secrets, before: result.resource.status, now });
}

function isTold(result: ValidationResult, keys: KeySetState, now: Date): boolean {
  return isWritten(statusNow(result, keys, now), result.resource.status);
}

function readyOf(result: ValidationResult, keys?: KeySetState): string {
  const { status, reason } = statusNow(result, keys, NOW).conditions[0];
  return `${status} ${reason}`;
}

test("states whether the tenant is accepted, and the reason if not", () => {
  assert.equal(readyOf(verdictOn({}), READ), "True Accepted");
  assert.equal(readyOf(verdictOn({})), "Unknown KeysPending");
  assert.equal(readyOf(verdictOn({}), { ...READ, outcome: "timeout", keys: 0 }), "False KeysUnavailable");
  assert.equal(readyOf(verdictOn({}), { ...READ, keys: 0 }), "False KeysUnavailable");
  assert.equal(
    readyOf(verdictOn({}), { ...READ, outcome: "timeout" }),
    "True Accepted",
    "known keys keep working",
  );
  assert.equal(readyOf(verdictOn({ enabled: false }), READ), "False Disabled");
  assert.equal(readyOf(verdictOn({ oidc: {} })), "False Invalid");
});

test("stays unchanged once written, until its content changes", () => {
  const first = statusNow(verdictOn({}), READ, NOW);
  assert.deepEqual(first, {
    observedGeneration: 1,
    conditions: [
      {
        ...{
          type: "Ready",
          status: "True",
          reason: "Accepted",
          message: "The tenant's tokens are accepted.",
        },
        ...{ observedGeneration: 1, lastTransitionTime: "2026-05-17T09:30:00Z" },
      },
    ],
    keys: { lastFetchTime: "2026-05-17T09:30:00Z", outcome: "read", count: 2 },
  });
  assert.equal(isTold(verdictOn({}), READ, NOW), false);
  const written = verdictOn({}, first);
  assert.equal(isTold(written, READ, LATER), true);
  const fetchedAgain = { ...READ, fetchedAt: NOW.getTime() + 300_000 };
  assert.equal(isTold(written, fetchedAgain, LATER), true, "a fetch five minutes later");
  const fetchedLater = { ...READ, fetchedAt: LATER.getTime() };
  assert.equal(isTold(written, fetchedLater, LATER), false, "a fetch a quarter of an hour later");
});

test("the transition time changes with the status, not with the reason or the spec", () => {
  const status = statusNow(verdictOn({}), READ, NOW);
  const changed = statusNow(verdictOn({ limits: { weight: 2 } }, status, 2), READ, LATER);
  assert.equal(changed.observedGeneration, 2);
  assert.equal(changed.conditions[0].lastTransitionTime, "2026-05-17T09:30:00Z");
  const disabled = statusNow(verdictOn({ enabled: false }, status, 2), READ, LATER);
  assert.equal(disabled.conditions[0].lastTransitionTime, "2026-05-17T09:45:00Z");
});

test("states whether the credentials of storages can be read, only if they are in Secrets", () => {
  const storagesOf = (secrets: SecretsState | undefined, status?: unknown) =>
    statusNow(verdictOn({}, status), READ, NOW, secrets).conditions[1];
  const missing = new SecretFault("SecretMissing", "acme-storage", "does not exist.");
  assert.equal(storagesOf(undefined), undefined);
  assert.equal(storagesOf({ isPending: true, faults: [] })?.reason, "SecretsPending");
  assert.equal(storagesOf({ isPending: false, faults: [] })?.reason, "SecretsRead");
  const faulty = statusNow(verdictOn({}), READ, NOW, { isPending: true, faults: [missing, missing] });
  assert.deepEqual(faulty.conditions[1], {
    type: "StoragesReady",
    status: "False",
    reason: "SecretMissing",
    message: 'The Secret "acme-storage" does not exist.',
    observedGeneration: 1,
    lastTransitionTime: "2026-05-17T09:30:00Z",
  });
  assert.equal(faulty.conditions[0].status, "True");
  const written = verdictOn({}, faulty);
  assert.equal(isWritten(statusNow(written, READ, LATER), faulty), false, "no Secret is used any more");
  const same = statusNow(written, READ, LATER, { isPending: false, faults: [missing] });
  assert.equal(isWritten(same, faulty), true);
});

test("an invalid status is replaced", () => {
  for (const status of [
    null,
    7,
    [],
    {},
    { conditions: 7 },
    { conditions: [null, { type: "Ready" }] },
    { keys: [] },
  ]) {
    const result = verdictOn({}, status);
    assert.equal(isTold(result, READ, NOW), false);
  }
});
