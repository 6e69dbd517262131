/** Limits of unauthenticated connections: beyond, the address with the most loses its oldest. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { UnauthenticatedConnections } from "../../../../src/platform/net/unauthenticated-connections.ts";
import { Connection, many } from "../connection.ts";

test("closes the oldest connection of the address with the most, and no others", () => {
  const unauthenticated = new UnauthenticatedConnections(10);
  const few = many("10.0.0.1", 3);
  const flood = many("10.0.0.2", 20);
  for (const connection of [...few, ...flood]) unauthenticated.add(connection);
  assert.equal(unauthenticated.count, 10);
  assert.ok(few.every(({ destroyed }) => !destroyed));
  assert.deepEqual(
    flood.map(({ destroyed }) => destroyed),
    flood.map((_, index) => index < 13),
  );
});

test("does not count or close connections that authenticated or closed", async () => {
  const unauthenticated = new UnauthenticatedConnections(2);
  const [known, gone, ...more] = many("10.0.0.1", 4);
  assert.ok(known && gone);
  unauthenticated.add(known);
  unauthenticated.remove(known);
  unauthenticated.remove(known);
  unauthenticated.add(gone);
  gone.destroy();
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(unauthenticated.count, 0);
  for (const connection of more) unauthenticated.add(connection);
  assert.ok(!known.destroyed && more.every(({ destroyed }) => !destroyed));
});

test("treats a reused port as a new connection, which the close of the old one does not affect", async () => {
  const unauthenticated = new UnauthenticatedConnections(2);
  const [first, second] = [new Connection("10.0.0.1", 7), new Connection("10.0.0.1", 7)];
  unauthenticated.add(first);
  first.destroy();
  unauthenticated.add(second);
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(unauthenticated.count, 1);
});
