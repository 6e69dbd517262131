/** Submissions that wait for their job, while the controller stops. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { caller, Peer } from "./peer.ts";
import { refused, System, submission } from "./system.ts";

const TENANT = "awaited";

let system: System;
before(async () => {
  system = await System.open();
});
after(() => system.close());

test("once waits have ended stores no job for its result alone, and a wait that ends names its job", async () => {
  await Peer.register(system.nodes, TENANT);
  const { job } = await system.submit(TENANT, {}, "known");
  const wait = { waitMs: 600_000, keep: true };
  const waiting = system.jobs.waitForJob(job.id, wait, caller(TENANT));
  system.controller.endWaits();
  const failure = await refused(waiting, "SHUTTING_DOWN");
  assert.deepEqual(failure.found, { jobId: job.id });
  const submit = (key: string, resultOnly: boolean) =>
    system.jobs.submitAwaited(submission({}, key), { resultOnly }, caller(TENANT));
  const late = await refused(submit("new", true), "SHUTTING_DOWN");
  assert.equal(late.found, undefined);
  const known = await submit("known", true);
  assert.deepEqual([known.job?.id, known.existed], [job.id, true]);
  const left = await submit("new", false);
  assert.equal(left.existed, false, "the refused job was not stored");
});
