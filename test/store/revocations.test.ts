/** Revoked tokens in the store: one entry per thing, unions, the limit, and changes in order. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import type { NewRevocation, RevocationChange } from "../../src/store/contract/revocation-store.ts";
import type { Store } from "../../src/store/contract/store.ts";
import { newTenant, nextMoment, onBothStores } from "./stores.ts";

const MOST = 10_000;
const HOUR_MS = 3_600_000;
const NOW_MS = Math.floor(Date.now() / 1000) * 1000;
const inHours = (hours: number) => new Date(NOW_MS + hours * HOUR_MS);

function subject(value: string, over: Partial<NewRevocation> = {}): NewRevocation {
  return {
    id: randomUUID(),
    kind: "SUBJECT",
    value,
    issuedBefore: undefined,
    expiresAt: undefined,
    reason: "left",
    revokedBy: "boss",
    ...over,
  };
}

function before(issuedBefore: Date, over: Partial<NewRevocation> = {}): NewRevocation {
  return subject("", { kind: "ISSUED_BEFORE", issuedBefore, ...over });
}

async function revoked(store: Store, tenant: string, wanted: NewRevocation, most = MOST) {
  const outcome = await store.revocations.revoke(tenant, wanted, most);
  assert.ok(outcome !== "FULL", "the tenant has room");
  return outcome;
}

async function latestOf(store: Store): Promise<number> {
  return (await store.revocations.changes(Number.MAX_SAFE_INTEGER, 1)).latest;
}

/** Reads all changes after a revision, in pages of two. */
async function changesAfter(store: Store, after: number): Promise<RevocationChange[]> {
  const all: RevocationChange[] = [];
  for (let reached = after; ; ) {
    const page = await store.revocations.changes(reached, 2);
    all.push(...page.changes);
    reached = page.reached;
    if (page.changes.length < 2) return all;
  }
}

onBothStores((open) => {
  test("lists revocations of their tenant only, newest first, in pages", async () => {
    const { store } = open();
    const [mine, yours] = [newTenant(), newTenant()];
    for (const name of ["a", "b", "c"]) {
      await revoked(store, mine, subject(name));
      await nextMoment(store);
    }
    await revoked(store, yours, subject("a"));
    const first = await store.revocations.list(mine, undefined, 2);
    assert.deepEqual(
      first.map(({ value }) => value),
      ["c", "b"],
    );
    const rest = await store.revocations.list(mine, first[1], 2);
    assert.deepEqual(
      rest.map(({ kind, value, reason, revokedBy, expiresAt }) => [
        kind,
        value,
        reason,
        revokedBy,
        expiresAt,
      ]),
      [["SUBJECT", "a", "left", "boss", undefined]],
    );
    assert.equal((await store.revocations.list(yours, undefined, 9)).length, 1);
  });

  test("returns the existing entry for the same thing; a retried call counts as new", async () => {
    const { store } = open();
    const tenant = newTenant();
    const first = subject("alice");
    const { revocation, existed } = await revoked(store, tenant, first);
    assert.equal(existed, false);
    const again = await revoked(store, tenant, first);
    assert.deepEqual(again, { revocation, existed: false });
    const another = await revoked(store, tenant, subject("alice", { reason: "again" }));
    assert.deepEqual(another, { revocation, existed: true });
    const id = await revoked(store, tenant, subject("alice", { kind: "TOKEN_ID" }));
    assert.equal(id.existed, false, "a token id is not a subject");
    assert.equal((await store.revocations.list(tenant, undefined, 9)).length, 2);
  });

  test("applies the later expiry and the later instant of two revocations", async () => {
    const { store } = open();
    const tenant = newTenant();
    const { revocation } = await revoked(store, tenant, subject("bob", { expiresAt: inHours(2) }));
    const shorter = await revoked(store, tenant, subject("bob", { expiresAt: inHours(1) }));
    assert.deepEqual(shorter.revocation.expiresAt, inHours(2));
    const longer = await revoked(store, tenant, subject("bob", { expiresAt: inHours(3), reason: "worse" }));
    assert.deepEqual([longer.existed, longer.revocation.id], [true, revocation.id]);
    assert.deepEqual([longer.revocation.expiresAt, longer.revocation.reason], [inHours(3), "worse"]);
    assert.equal((await revoked(store, tenant, subject("bob"))).revocation.expiresAt, undefined);
    assert.equal(
      (await revoked(store, tenant, subject("bob", { expiresAt: inHours(9) }))).revocation.expiresAt,
      undefined,
    );
    await revoked(store, tenant, before(inHours(-2)));
    const earlier = await revoked(store, tenant, before(inHours(-3)));
    assert.deepEqual(earlier.revocation.issuedBefore, inHours(-2));
    const later = await revoked(store, tenant, before(inHours(-1), { expiresAt: inHours(1) }));
    assert.deepEqual(
      [later.revocation.issuedBefore, later.revocation.expiresAt, later.existed],
      [inHours(-1), undefined, true],
    );
    assert.equal((await store.revocations.list(tenant, undefined, 9)).length, 2);
  });

  test("a lifted entry is not listed, can be lifted again and revoked again; other tenants cannot lift it", async () => {
    const { store } = open();
    const [mine, yours] = [newTenant(), newTenant()];
    const { revocation } = await revoked(store, mine, subject("carol"));
    assert.equal(await store.revocations.lift(yours, revocation.id), undefined);
    assert.equal(await store.revocations.lift(mine, randomUUID()), undefined);
    assert.equal(await store.revocations.lift(mine, "no id"), undefined);
    assert.equal((await store.revocations.list(mine, undefined, 9)).length, 1);
    assert.deepEqual(await store.revocations.lift(mine, revocation.id), revocation);
    assert.deepEqual(await store.revocations.lift(mine, revocation.id), revocation);
    assert.deepEqual(await store.revocations.list(mine, undefined, 9), []);
    const again = await revoked(store, mine, subject("carol"));
    assert.equal(again.existed, false);
    assert.notEqual(again.revocation.id, revocation.id);
  });

  test("returns changes in order after any known revision", async () => {
    const { store } = open();
    const [mine, yours] = [newTenant(), newTenant()];
    const start = await latestOf(store);
    const { revocation } = await revoked(store, mine, subject("dora"));
    await revoked(store, yours, before(inHours(-1)));
    const middle = await latestOf(store);
    await store.revocations.lift(mine, revocation.id);
    await revoked(store, mine, subject("dora", { expiresAt: inHours(1) }));
    await revoked(store, mine, subject("dora", { expiresAt: inHours(2) }));
    const brief = ({ tenant, kind, value, lifted, issuedBefore, expiresAt }: RevocationChange) =>
      [tenant, kind, value, lifted, issuedBefore, expiresAt] as const;
    const after = [
      [mine, "SUBJECT", "dora", true, undefined, undefined],
      [mine, "SUBJECT", "dora", false, undefined, inHours(2)],
    ];
    assert.deepEqual((await changesAfter(store, middle)).map(brief), after);
    const others = [[yours, "ISSUED_BEFORE", "", false, inHours(-1), undefined]];
    assert.deepEqual((await changesAfter(store, start)).map(brief), [...others, ...after]);
    const latest = await latestOf(store);
    assert.deepEqual(await store.revocations.changes(latest, 2), {
      changes: [],
      reached: latest,
      latest,
      forgotten: 0,
    });
  });

  test("concurrent changes: one entry per thing, no missed change, never above the limit", async () => {
    const { store } = open();
    const tenant = newTenant();
    const start = await latestOf(store);
    const names = Array.from({ length: 40 }, (_, n) => `user ${n % 20}`);
    const known = new Set<string>();
    let reached = start;
    const follow = async () => {
      const page = await store.revocations.changes(reached, 100);
      for (const change of page.changes) if (change.tenant === tenant) known.add(change.value);
      reached = page.reached;
    };
    const outcomes = await Promise.all(
      names.map(async (name) => {
        const outcome = await store.revocations.revoke(tenant, subject(name), 15);
        await follow();
        return outcome === "FULL" ? "FULL" : outcome.existed;
      }),
    );
    await follow();
    assert.equal(outcomes.filter((outcome) => outcome === false).length, 15);
    assert.equal(known.size, 15);
    assert.equal((await store.revocations.list(tenant, undefined, 99)).length, 15);
    assert.equal(await store.revocations.revoke(tenant, subject("one more"), 15), "FULL");
    const [entry] = await store.revocations.list(tenant, undefined, 1);
    assert.ok(entry);
    await store.revocations.lift(tenant, entry.id);
    assert.equal((await revoked(store, tenant, subject("one more"), 15)).existed, false);
  });

  test("limits ended entries too, until they are deleted", async () => {
    const { store } = open();
    const tenant = newTenant();
    for (let n = 0; n < 6; n++) {
      const { revocation } = await revoked(store, tenant, subject(`${n}`), 3);
      await store.revocations.lift(tenant, revocation.id);
    }
    assert.equal(await store.revocations.revoke(tenant, subject("7"), 3), "FULL");
    while ((await store.revocations.deleteEnded(0, 100)) > 0);
    await revoked(store, tenant, subject("7"), 3);
  });

  test("an ended entry has no effect, can be revoked again, and is deleted by age", async () => {
    const { store } = open();
    const tenant = newTenant();
    const over = { expiresAt: inHours(-1) };
    const { revocation } = await revoked(store, tenant, subject("erik", over));
    assert.deepEqual(await store.revocations.list(tenant, undefined, 9), []);
    const again = await revoked(store, tenant, subject("erik"), 1);
    assert.equal(again.existed, false);
    assert.notEqual(again.revocation.id, revocation.id);
    assert.equal(again.revocation.expiresAt, undefined);
    const start = await latestOf(store);
    await store.revocations.lift(tenant, again.revocation.id);
    await revoked(store, tenant, subject("frida", over));
    await revoked(store, tenant, subject("gerd"));
    assert.ok((await store.revocations.changes(start, 9)).forgotten <= start);
    while ((await store.revocations.deleteEnded(0, 1)) > 0);
    const changed = await store.revocations.changes(start, 9);
    assert.deepEqual(
      changed.changes.map(({ value }) => value),
      ["gerd"],
    );
    assert.equal(changed.forgotten, start + 1, "a reader that missed the lift can detect it");
    assert.equal(await store.revocations.lift(tenant, again.revocation.id), undefined);
  });

  test("stores and finds names of maximum length", async () => {
    const { store } = open();
    const tenant = `${newTenant()}${"ö".repeat(200)}`;
    const value = "€".repeat(256);
    await revoked(store, tenant, subject(value, { reason: value }));
    assert.equal((await revoked(store, tenant, subject(value))).existed, true);
  });
});
