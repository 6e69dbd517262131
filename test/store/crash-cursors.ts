/**
 * Cursors across a crash of the database. Transactions that wrote nothing durable leave no trace in it, and a database
 * that recovers assigns their ids again.
 */
import assert from "node:assert/strict";
import type { Store } from "../../src/store/contract/store.ts";
import { newJob, newTenant } from "./stores.ts";

/** Returns a cursor that is read after changes that were rolled back. */
export async function cursorAfterRefusals(store: Store): Promise<{ tenant: string; cursor: string }> {
  const tenant = newTenant();
  await store.insertJobs(tenant, [newJob({ idempotencyKey: "key", fingerprint: "one" })]);
  for (let n = 0; n < 5; n++) {
    const jobs = [newJob(), newJob({ idempotencyKey: "key", fingerprint: "another" })];
    await assert.rejects(store.insertJobs(tenant, jobs), { code: "IDEMPOTENCY_CONFLICT" });
  }
  return { tenant, cursor: await store.eventCursor() };
}

/** A change after the crash is the first event after the cursor. */
export async function assertResumes(store: Store, tenant: string, cursor: string): Promise<void> {
  const job = newJob();
  await store.insertJobs(tenant, [job]);
  const page = await store.tenantEventsAfter(tenant, cursor, 10);
  assert.deepEqual(
    page?.events.map((event) => event.job.id),
    [job.id],
  );
}
