/** Cancels and deletes thousands of jobs on a real `svc controller`, which is killed in the middle. */
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { ControllerProcess } from "../server/controller-process.ts";
import { EventStream } from "../server/event-stream.ts";
import { type Batch, JobsClient } from "../server/jobs-client.ts";
import { until } from "../waiting.ts";

const BATCHES = 3;
const BATCH = 1_000;
const PAIR = { reference: "/media/r.mp4", distorted: "/media/d.mp4", labels: { release: "7" } };
const JSON_TYPE = { "content-type": "application/json" };

let dataDir: string;
let controller: ControllerProcess;
let jobs: JobsClient;
before(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "svc-many-"));
  await start();
});
after(async () => {
  await controller[Symbol.asyncDispose]();
  await rm(dataDir, { recursive: true });
});

async function start(): Promise<void> {
  const args = ["--tenant-submits-per-second", "100000"];
  controller = await ControllerProcess.start({ dataDir, args });
  jobs = await JobsClient.of(controller);
}

/** Kills the controller after some steps of a request, and restarts it on the same database. */
async function killed(path: string, body: object): Promise<void> {
  const headers = { ...JSON_TYPE, accept: "text/event-stream" };
  using stream = await EventStream.open(controller.rest + path, headers, {
    ...{ method: "POST", body: JSON.stringify(body) },
  });
  await stream.find(({ data }) => JSON.parse(data)[path.endsWith("cancel") ? "cancelled" : "deleted"] >= 200);
  controller.signal("SIGKILL");
  await controller.exited();
  await start();
}

async function countOf(query: string): Promise<number> {
  let count = 0;
  for (let token = ""; ; ) {
    const { body } = await jobs.list(`?pageSize=500&${query}${token && `&pageToken=${token}`}`);
    count += body.jobs.length;
    token = body.nextPageToken;
    if (token === "") return count;
  }
}

interface Outcome {
  readonly matched: number;
  readonly cancelled?: number;
  readonly deleted?: number;
}

interface AuditPage {
  readonly records: readonly {
    readonly operation: string;
    readonly filter: string;
    readonly jobs?: number;
  }[];
}

/** Returns the tenant's audit records of an operation, once there are that many. */
async function records(operation: string, count: number) {
  let found: AuditPage["records"] = [];
  const look = async () => {
    const path = `/v1/tenant/audit?operation=${operation}`;
    found = (await jobs.call<AuditPage>("listAudit", path)).body.records;
    return found.length >= count;
  };
  await until(look, `${count} records of ${operation}`);
  return found.map(({ filter, jobs: changed }) => [filter, changed]);
}

test("a controller killed during a cancel leaves consistent jobs, and continues on a repeat", async () => {
  for (let batch = 0; batch < BATCHES; batch++) {
    const body = { jobs: Array.from({ length: BATCH }, () => ({ job: PAIR })) };
    assert.equal((await jobs.post<Batch>("submitJobs", "/v1/jobs:batch", body)).status, 201);
  }
  const filter = { labels: { release: "7" } };
  await killed("/v1/jobs:cancel", { filter });
  const [queued, cancelled] = [await countOf("state=QUEUED"), await countOf("state=CANCELLED")];
  assert.equal(queued + cancelled, BATCHES * BATCH);
  assert.ok(cancelled >= 200 && queued > 0, `${cancelled} cancelled`);
  for (const state of ["QUEUED", "CANCELLED"]) {
    const { body } = await jobs.list(`?pageSize=20&state=${state}`);
    for (const { id } of body.jobs) {
      const [plan] = (await jobs.get(id)).body.work ?? [];
      assert.equal(plan?.state, state === "QUEUED" ? "PENDING" : "CANCELLED");
    }
  }
  const rest = await jobs.post<Outcome>("cancelJobs", "/v1/jobs:cancel", { filter });
  assert.deepEqual(rest.body, { matched: queued, cancelled: queued });
  assert.equal(await countOf("state=CANCELLED"), BATCHES * BATCH);
  assert.deepEqual(await records("cancelJobs", 1), [["label=release%3D7", queued]]);
  const { usage } = (
    await jobs.call<{ readonly usage: { readonly jobsQueued: number } }>("getTenant", "/v1/tenant")
  ).body;
  assert.equal(usage.jobsQueued, 0);
});

test("a controller killed during a deletion leaves consistent jobs, and deletes the rest on a repeat", async () => {
  await killed("/v1/jobs:delete", { all: true });
  const left = await countOf("");
  assert.ok(left > 0 && left <= BATCHES * BATCH - 200, `${left} are left`);
  const rest = await jobs.post<Outcome>("deleteJobs", "/v1/jobs:delete", { all: true });
  assert.deepEqual(rest.body, { matched: left, deleted: left });
  assert.equal(await countOf(""), 0);
  assert.deepEqual(await records("deleteJobs", 1), [["all=true", left]]);
});
