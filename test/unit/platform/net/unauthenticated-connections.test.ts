/** Limits of unauthenticated connections: beyond, the address with the most loses its oldest. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Strangers } from "../../../../src/platform/net/unauthenticated-connections.ts";
import { Connection, many } from "../connection.ts";

test("closes the oldest connection of the address with the most, and no others", () => {
  const strangers = new Strangers(10);
  const few = many("10.0.0.1", 3);
  const flood = many("10.0.0.2", 20);
  for (const connection of [...few, ...flood]) strangers.add(connection);
  assert.equal(strangers.count, 10);
  assert.ok(few.every(({ destroyed }) => !destroyed));
  assert.deepEqual(
    flood.map(({ destroyed }) => destroyed),
    flood.map((_, index) => index < 13),
  );
});

test("does not count or close connections that authenticated or closed", async () => {
  const strangers = new Strangers(2);
  const [known, gone, ...more] = many("10.0.0.1", 4);
  assert.ok(known && gone);
  strangers.add(known);
  strangers.know(known);
  strangers.know(known);
  strangers.add(gone);
  gone.destroy();
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(strangers.count, 0);
  for (const connection of more) strangers.add(connection);
  assert.ok(!known.destroyed && more.every(({ destroyed }) => !destroyed));
});

test("treats a reused port as a new connection, which the close of the old one does not affect", async () => {
  const strangers = new Strangers(2);
  const [first, second] = [new Connection("10.0.0.1", 7), new Connection("10.0.0.1", 7)];
  strangers.add(first);
  first.destroy();
  strangers.add(second);
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(strangers.count, 1);
});
