/** What a stream of jobs has told: snapshots that replace, changes in order, and where to resume. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { JobTable } from "../../../web/src/api/job-table.ts";
import { ApiError } from "../../../web/src/api/problem.ts";
import type { Job } from "../../../web/src/jobs/job-facts.ts";
import { job } from "./jobs.ts";

function tell(table: JobTable, name: string, id: string | undefined, told?: Job): void {
  table.apply({ name, id, data: JSON.stringify({ kind: "", eventId: id ?? "", job: told }) });
}

function ids(table: JobTable): string[] {
  return table.jobs.map(({ id, revision }) => `${id}@${revision}`).sort();
}

test("a snapshot, then changes and deletions; the last event is where to resume", () => {
  const table = new JobTable();
  tell(table, "snapshot", undefined, job("a"));
  tell(table, "snapshot", undefined, job("b"));
  assert.equal(table.isWhole, false);
  tell(table, "snapshotEnd", "1");
  assert.equal(table.isWhole, true);
  tell(table, "change", "2", job("a", { revision: 2 }));
  tell(table, "deleted", "3", job("b"));
  tell(table, "change", "4", job("c"));
  assert.deepEqual(ids(table), ["a@2", "c@1"]);
  assert.equal(table.place, "4");
});

test("a new snapshot keeps what is shown until it has ended, then drops what it did not tell", () => {
  const table = new JobTable();
  for (const id of ["a", "b"]) tell(table, "snapshot", undefined, job(id));
  tell(table, "snapshotEnd", "1");
  table.begin();
  tell(table, "snapshot", undefined, job("b", { revision: 3 }));
  assert.deepEqual(ids(table), ["a@1", "b@3"]);
  assert.equal(table.place, "", "a snapshot that breaks off is asked for again");
  tell(table, "snapshotEnd", "9");
  assert.deepEqual(ids(table), ["b@3"]);
});

test("a snapshot that broke off counts for nothing, and an empty one clears everything", () => {
  const table = new JobTable();
  tell(table, "snapshot", undefined, job("a"));
  table.begin();
  tell(table, "snapshot", undefined, job("b"));
  tell(table, "snapshotEnd", "1");
  assert.deepEqual(ids(table), ["b@1"]);
  table.begin();
  tell(table, "snapshotEnd", "2");
  assert.deepEqual(ids(table), []);
});

test("a job from an answer is shown at once, but never over a later state of it", () => {
  const table = new JobTable();
  table.put(job("a", { revision: 1 }));
  tell(table, "change", "1", job("a", { revision: 3 }));
  table.put(job("a", { revision: 2 }));
  assert.deepEqual(ids(table), ["a@3"]);
});

test("a change that an answer has overtaken is not shown again", () => {
  const table = new JobTable();
  tell(table, "change", "1", job("a", { revision: 3 }));
  table.put(job("a", { revision: 5 }));
  tell(table, "change", "2", job("a", { revision: 4 }));
  assert.deepEqual([ids(table), table.place], [["a@5"], "2"]);
  tell(table, "change", "3", job("a", { revision: 6 }));
  assert.deepEqual(ids(table), ["a@6"]);
});

test("what ends the stream is thrown with its status and code", () => {
  const table = new JobTable();
  const data = JSON.stringify({ status: 503, code: "SHUTTING_DOWN", detail: "It stops.", requestId: "r1" });
  assert.throws(
    () => table.apply({ name: "error", id: undefined, data }),
    (error) => error instanceof ApiError && error.status === 503 && error.code === "SHUTTING_DOWN",
  );
});
