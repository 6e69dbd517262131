/** A batch of large jobs is stored by statements of bounded size in one transaction. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Client } from "pg";
import { Database } from "../../src/store/connection/database.ts";
import { embeddedDriver } from "../../src/store/embedded/database.ts";
import { insertJobs } from "../../src/store/jobs/jobs.ts";
import { newJob, preparedTarget } from "./stores.ts";

interface Sent {
  readonly text: string;
  readonly values?: readonly unknown[];
}

/** Limits of one statement, in bytes of JSON and in jobs: it compares every given job with every stored one. */
const MAX_BYTES = 600_000;
const MAX_JOBS = 64;

test("stores 1,000 jobs with 32 labels by many small statements in one transaction", async () => {
  const { target, remove } = await preparedTarget();
  const driver = embeddedDriver(target.dataDir);
  const sent: Sent[] = [];
  const database = new Database({ ...driver, connect: async () => recorded(await driver.connect(), sent) });
  sent.length = 0;
  const labels = Object.fromEntries(Array.from({ length: 32 }, (_, n) => [`label-${n}`, "v".repeat(100)]));
  const jobs = Array.from({ length: 1_000 }, () => newJob({ labels, spec: JSON.stringify({ labels }) }));
  const stored = await insertJobs(database, "t", jobs);
  assert.deepEqual(
    stored.map(({ job, created }) => created && job.id),
    jobs.map(({ id }) => id),
  );
  await database.close();
  await remove();

  const verbs = sent.map(({ text }) => text.trim().split(/\W/)[0]);
  assert.deepEqual([verbs.indexOf("begin"), verbs.at(-1)], [verbs.lastIndexOf("begin"), "commit"]);
  const inserts = sent.filter(({ text }) => text.includes("insert into job"));
  const given = inserts.map(({ values }) => String(values?.[1]));
  for (const json of given) {
    assert.ok(json.length < MAX_BYTES, `${json.length} bytes`);
    assert.ok((JSON.parse(json) as unknown[]).length <= MAX_JOBS);
  }
  assert.ok(given.length >= 1_000 / MAX_JOBS);
});

/** A connection that records the statements sent over it. */
function recorded(client: Client, sent: Sent[]): Client {
  const query = client.query.bind(client) as (given: Sent) => Promise<unknown>;
  client.query = (async (given: Sent) => {
    sent.push(given);
    return query(given);
  }) as Client["query"];
  return client;
}
