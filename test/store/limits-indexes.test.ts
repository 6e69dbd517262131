/**
 * Counts for limits and the queue, a tenant's events and cells are read by index, and heartbeats change no indexed column.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Scope, type Statement, statement, type Value } from "../../src/store/connection/statement.ts";
import { AFTER_OF_TENANT, NOW } from "../../src/store/events/events.ts";
import { IN_WORK, WAITING } from "../../src/store/tasks/queue.ts";
import { CELL_OF } from "../../src/store/tasks/titles.ts";
import { QUEUED, RUNNING } from "../../src/store/tasks/usage.ts";
import { onBothDatabases } from "./stores.ts";

/** Columns changed by a lease renewal with progress, and by every change of a job. */
const CHANGED = /\b(lease_until|frames_done|revision|changed)\b/;

onBothDatabases((open) => {
  const planOf = async (
    { text }: Statement,
    values: readonly Value[],
    scope: Scope = "fleet",
  ): Promise<string> => {
    const rows = await open().database.query<{ "QUERY PLAN": string }>(
      scope,
      statement(`explain ${text}`),
      values,
    );
    return rows.map((row) => row["QUERY PLAN"]).join("\n");
  };

  test("counts read an index that contains only the counted rows", async () => {
    assert.match(await planOf(QUEUED, ["t"]), /Index Only Scan using job_state on job/);
    assert.match(await planOf(RUNNING, [["t", "u"]]), /Index Only Scan using work_running on work/);
  });

  test("reads a tenant's events from its cursor, without scanning those of others", async () => {
    const values = ["", "1", 1, 500, "t"];
    const plan = await planOf(AFTER_OF_TENANT, values, { tenant: "t" });
    const found = /Index Scan using event_of_tenant on event .*\n *Index Cond: (.*)/.exec(plan)?.[1] ?? "";
    assert.match(found, /tenant_id = .*ROW\(pos, id\) > ROW\(/, plan);
    assert.match(plan, /Index Scan using job_pkey on job/);
  });

  test("reads the last event from the end of its index", async () => {
    const plan = await planOf(NOW, []);
    assert.match(plan, /Index Only Scan Backward using event_pkey on event .*\n *Index Cond: \(pos < /, plan);
  });

  test("queue counts read indexes of only the counted tasks", async () => {
    const waiting = await planOf(WAITING, [["t"], [1n], [10]]);
    assert.match(waiting, /Index Only Scan using work_ready on work/);
    assert.match(waiting, /Index Scan using work_ready on work/);
    const inWork = await planOf(IN_WORK, [10]);
    assert.match(inWork, /using work_(running|leased) on work/);
    assert.match(inWork, /using work_waiting on work/);
    for (const plan of [waiting, inWork]) assert.doesNotMatch(plan, /Seq Scan on work/);
  });

  test("the cell of a job is found by an index", async () => {
    const plan = await planOf(CELL_OF, ["t", "00000000-0000-4000-8000-000000000000"]);
    assert.match(plan, /Index Scan using comparison_cell_job on comparison_cell/);
  });

  test("a heartbeat changes no indexed column, so that renewing leases is cheap", async () => {
    const indexes = await open().database.query<{ tablename: string; indexdef: string }>(
      "owner",
      statement("select tablename, indexdef from pg_indexes where schemaname = 'svc'"),
      [],
    );
    for (const table of ["job", "work"]) {
      const own = indexes.filter(({ tablename }) => tablename === table);
      assert.ok(own.length > 0);
      for (const { indexdef } of own) assert.doesNotMatch(indexdef, CHANGED);
    }
  });
});
