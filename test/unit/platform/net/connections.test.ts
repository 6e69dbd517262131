/** Limits of tenants' connections: beyond, the tenant with the most loses its least used one. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Connections } from "../../../../src/platform/net/connections.ts";
import { TenantConnections } from "../../../../src/platform/net/tenant-connections.ts";
import { UnauthenticatedConnections } from "../../../../src/platform/net/unauthenticated-connections.ts";
import { type Connection, many } from "../connection.ts";

/** Room for 2 unauthenticated connections and 6 others. */
function open(): { readonly connections: Connections; readonly known: TenantConnections } {
  const known = new TenantConnections(6);
  return { connections: new Connections(new UnauthenticatedConnections(2), known), known };
}

/** Connects and authenticates with a first request; returns a function that ends the request. */
function show(connections: Connections, connection: Connection, tenant: string): () => void {
  connections.add(connection);
  const end = connections.begin(connection);
  connections.identify(connection, tenant);
  return end;
}

const cutOf = (all: readonly Connection[]) => all.map(({ destroyed }) => destroyed);

test("closes connections of a tenant with too many, the longest idle first", () => {
  const { connections, known } = open();
  const few = many("10.0.0.1", 2);
  const flood = many("10.0.0.2", 8);
  for (const connection of few) show(connections, connection, "few")();
  for (const connection of flood) show(connections, connection, "many")();
  assert.deepEqual(cutOf(few), [false, false]);
  assert.deepEqual(
    cutOf(flood),
    flood.map((_, index) => index < 4),
  );
  assert.equal(known.count, 6);
});

test("makes room for a new tenant by closing a connection of the one with the most", () => {
  const { connections } = open();
  const flood = many("10.0.0.2", 6);
  for (const connection of flood) show(connections, connection, "many")();
  const few = many("10.0.0.1", 4);
  for (const connection of few) show(connections, connection, "few");
  assert.deepEqual(cutOf(few), [true, false, false, false]);
  assert.deepEqual(cutOf(flood), [true, true, true, false, false, false]);
});

test("closes the least recently used idle connection, or the one with the oldest request if all are busy", () => {
  const { connections } = open();
  const all = many("10.0.0.1", 9);
  const [first, second, ...more] = all;
  assert.ok(first && second);
  show(connections, first, "one")();
  const endSecond = show(connections, second, "one");
  for (const connection of more.slice(0, 4)) show(connections, connection, "one")();
  connections.begin(first)();
  show(connections, more[4] as Connection, "one");
  // Not the first, which was used again, nor the second, whose request is still active.
  assert.deepEqual(cutOf(all).indexOf(true), 2);
  for (const connection of more.slice(1, 4)) connections.begin(connection);
  connections.begin(first);
  show(connections, more[5] as Connection, "one");
  assert.deepEqual(cutOf(all), [false, true, true, ...Array(6).fill(false)]);
  endSecond();
});

test("does not count closed connections, whose addresses can be reused", async () => {
  const { connections, known } = open();
  for (const connection of many("10.0.0.1", 6)) {
    show(connections, connection, "one")();
    connection.destroy();
  }
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(known.count, 0);
  const again = many("10.0.0.1", 6);
  for (const connection of again) show(connections, connection, "two");
  assert.equal(known.count, 6);
  assert.deepEqual(cutOf(again), Array(6).fill(false));
});

test("counts a connection for the tenant that authenticated first", () => {
  const { connections, known } = open();
  const [shared, ...more] = many("10.0.0.1", 3);
  assert.ok(shared);
  show(connections, shared, "one")();
  connections.identify(shared, "two");
  assert.equal(known.count, 1);
  for (const connection of more) show(connections, connection, "two");
  for (const connection of many("10.0.0.2", 4)) show(connections, connection, "two");
  assert.ok(!shared.destroyed);
});

test("limits unauthenticated and tenants' connections independently", () => {
  const { connections } = open();
  const known = many("10.0.0.1", 6);
  for (const connection of known) show(connections, connection, "one");
  const unauthenticated = many("10.0.0.2", 4);
  for (const connection of unauthenticated) connections.add(connection);
  assert.deepEqual(cutOf(known), Array(6).fill(false));
  assert.deepEqual(cutOf(unauthenticated), [true, true, false, false]);
});
