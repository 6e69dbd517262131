/** The table of a job stream: snapshots replace it, changes update it, and it knows where to resume. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { JobTable } from "../../../web/src/api/job-table.ts";
import { ApiError } from "../../../web/src/api/problem.ts";
import type { Job } from "../../../web/src/jobs/job-facts.ts";
import { job } from "./jobs.ts";

function apply(table: JobTable, name: string, id: string | undefined, streamed?: Job): void {
  table.apply({ name, id, data: JSON.stringify({ kind: "", eventId: id ?? "", job: streamed }) });
}

function ids(table: JobTable): string[] {
  return table.jobs.map(({ id, revision }) => `${id}@${revision}`).sort();
}

test("applies a snapshot, changes and deletions, and resumes after the last event", () => {
  const table = new JobTable();
  apply(table, "snapshot", undefined, job("a"));
  apply(table, "snapshot", undefined, job("b"));
  assert.equal(table.isWhole, false);
  apply(table, "snapshotEnd", "1");
  assert.equal(table.isWhole, true);
  apply(table, "change", "2", job("a", { revision: 2 }));
  apply(table, "deleted", "3", job("b"));
  apply(table, "change", "4", job("c"));
  assert.deepEqual(ids(table), ["a@2", "c@1"]);
  assert.equal(table.place, "4");
});

test("a new snapshot keeps known jobs until it ends, then drops those it lacks", () => {
  const table = new JobTable();
  for (const id of ["a", "b"]) apply(table, "snapshot", undefined, job(id));
  apply(table, "snapshotEnd", "1");
  table.begin();
  apply(table, "snapshot", undefined, job("b", { revision: 3 }));
  assert.deepEqual(ids(table), ["a@1", "b@3"]);
  assert.equal(table.place, "", "an interrupted snapshot is requested again");
  apply(table, "snapshotEnd", "9");
  assert.deepEqual(ids(table), ["b@3"]);
});

test("ignores an interrupted snapshot; an empty snapshot clears the table", () => {
  const table = new JobTable();
  apply(table, "snapshot", undefined, job("a"));
  table.begin();
  apply(table, "snapshot", undefined, job("b"));
  apply(table, "snapshotEnd", "1");
  assert.deepEqual(ids(table), ["b@1"]);
  table.begin();
  apply(table, "snapshotEnd", "2");
  assert.deepEqual(ids(table), []);
});

test("a job from a response is shown at once, but never replaces a later revision", () => {
  const table = new JobTable();
  table.put(job("a", { revision: 1 }));
  apply(table, "change", "1", job("a", { revision: 3 }));
  table.put(job("a", { revision: 2 }));
  assert.deepEqual(ids(table), ["a@3"]);
});

test("ignores a change that a response has overtaken", () => {
  const table = new JobTable();
  apply(table, "change", "1", job("a", { revision: 3 }));
  table.put(job("a", { revision: 5 }));
  apply(table, "change", "2", job("a", { revision: 4 }));
  assert.deepEqual([ids(table), table.place], [["a@5"], "2"]);
  apply(table, "change", "3", job("a", { revision: 6 }));
  assert.deepEqual(ids(table), ["a@6"]);
});

test("throws the error that ends the stream, with status and code", () => {
  const table = new JobTable();
  const data = JSON.stringify({ status: 503, code: "SHUTTING_DOWN", detail: "It stops.", requestId: "r1" });
  assert.throws(
    () => table.apply({ name: "error", id: undefined, data }),
    (error) => error instanceof ApiError && error.status === 503 && error.code === "SHUTTING_DOWN",
  );
});
