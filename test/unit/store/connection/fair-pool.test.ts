import assert from "node:assert/strict";
import { test } from "node:test";
import { FairPool } from "../../../../src/store/connection/fair-pool.ts";
import type { Scope } from "../../../../src/store/connection/statement.ts";

const [A, B, C] = ["a", "b", "c"].map((tenant) => ({ tenant }));
const nameOf = (scope: Scope) => (typeof scope === "object" ? scope.tenant : scope);

function queue(turns: FairPool<never>, ...scopes: (Scope | undefined)[]): void {
  for (const scope of scopes) if (scope) turns.wait({ scope, take: () => {}, fail: () => {} });
}

/** Serves all waiters in order; each returns its connection at once. */
function order(turns: FairPool<never>): string[] {
  const names: string[] = [];
  for (let waiter = turns.next(); waiter !== undefined; waiter = turns.next()) {
    names.push(nameOf(waiter.scope));
    turns.giveBack(waiter.scope);
  }
  return names;
}

function taken(turns: FairPool<never>, scope: Scope = "fleet"): number {
  let count = 0;
  while (count < 100 && turns.take(scope)) count++;
  return count;
}

test("a tenant may use a quarter of the connections, all tenants three quarters, svc itself all", () => {
  const turns = new FairPool<never>(16);
  assert.deepEqual([taken(turns, A), taken(turns, B), taken(turns, C)], [4, 4, 4]);
  assert.equal(taken(turns, { tenant: "d" }), 0);
  assert.equal(taken(turns), 100);
  turns.giveBack({ tenant: "a" });
  assert.equal(taken(turns, { tenant: "d" }), 1);
});

test("a single connection is shared in turn", () => {
  const turns = new FairPool<never>(1);
  assert.equal(taken(turns, A), 1);
  queue(turns, A, B);
  assert.equal(turns.isAwaited, false);
  turns.giveBack({ tenant: "a" });
  assert.equal(turns.isAwaited, true);
  assert.deepEqual(order(turns), ["a", "b"]);
});

test("serves tenants in round-robin order, and svc itself every other turn", () => {
  const turns = new FairPool<never>(16);
  queue(turns, A, A, A, B, C, A, "fleet", "owner", B);
  assert.deepEqual(order(turns), ["fleet", "a", "owner", "b", "c", "a", "b", "a", "a"]);
});

test("skips a tenant at its limit until it returns a connection", () => {
  const turns = new FairPool<never>(16);
  assert.equal(taken(turns, A), 4);
  queue(turns, A, B);
  assert.equal(nameOf(turns.next()?.scope ?? "owner"), "b");
  assert.equal(turns.next(), undefined);
  turns.giveBack({ tenant: "a" });
  assert.equal(nameOf(turns.next()?.scope ?? "owner"), "a");
});

test("gives no turn to a waiter that left the queue", () => {
  const turns = new FairPool<never>(16);
  const waiter = { scope: { tenant: "a" }, take: () => {}, fail: () => {} };
  turns.wait(waiter);
  queue(turns, B, "fleet");
  turns.leave(waiter);
  turns.leave(waiter);
  assert.deepEqual(
    turns.clear().map(({ scope }) => nameOf(scope)),
    ["fleet", "b"],
  );
  assert.equal(turns.next(), undefined);
});
