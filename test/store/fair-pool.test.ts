/** Fairness of connections if one tenant overloads the database. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Failure } from "../../src/platform/failure.ts";
import { Database } from "../../src/store/connection/database.ts";
import { postgresDriver } from "../../src/store/connection/postgres.ts";
import { statement } from "../../src/store/connection/statement.ts";
import { until } from "../waiting.ts";
import { SharedDatabase } from "./postgres-server.ts";

const LOCKED = statement("select pg_advisory_xact_lock_shared(1)");
const PLAIN = statement("select 1 as one");
const NO_LIMIT = statement("set local idle_in_transaction_session_timeout = 0");

test("blocked statements of one tenant delay neither other tenants nor nodes", async () => {
  await using shared = await SharedDatabase.prepared();
  const databaseUrl = shared.url;
  const database = new Database(postgresDriver(databaseUrl));
  const holder = new Database(postgresDriver(databaseUrl));
  const held = Promise.withResolvers<void>();
  const freed = Promise.withResolvers<void>();
  const holding = holder.transaction("owner", async (sender) => {
    await sender.query(NO_LIMIT, []);
    await sender.query(statement("select pg_advisory_xact_lock(1)"), []);
    held.resolve();
    await freed.promise;
  });
  await held.promise;
  const asked = Array.from({ length: 40 }, () => until(() => hasLocked(database), "the lock"));
  try {
    for (const scope of [{ tenant: "modest" }, "fleet"] as const)
      assert.deepEqual(await database.query(scope, PLAIN, []), [{ one: 1 }]);
  } finally {
    freed.resolve();
  }
  await holding;
  await Promise.all(asked);
  await Promise.all([database.close(), holder.close()]);
});

/** False if it waited longer than the limit of statements, as on a stalled machine. */
async function hasLocked(database: Database): Promise<boolean> {
  try {
    await database.query({ tenant: "greedy" }, LOCKED, []);
    return true;
  } catch (error) {
    if (error instanceof Failure && error.code === "STORE_UNAVAILABLE") return false;
    throw error;
  }
}
