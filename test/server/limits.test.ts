/** Responses to submissions beyond a tenant's limits over REST and gRPC, with the retry delay. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type ServiceError, status } from "@grpc/grpc-js";
import type { Connection } from "../../src/client/connection/connection.ts";
import { JobService } from "../../src/gen/proto/svc/v1/job_pb.ts";
import { Failure } from "../../src/platform/failure.ts";
import { LIMITS } from "../controller/system.ts";
import { detailsOf } from "./grpc-client.ts";
import { Transports } from "./transports.ts";

const { submitJob, submitJobs } = JobService.method;
const PAIR = { reference: "/media/r.mp4", distorted: "/media/d.mp4" };
const JSON_TYPE = { "content-type": "application/json" };
const TENANT_LIMITS = { slow: { submitsPerSecond: 1 }, full: { jobsQueued: 2, segmentsRunning: 4 } };

let transports: Transports;
before(async () => {
  const limitsOf = (tenant: string) => ({
    ...LIMITS,
    ...(tenant === "slow" || tenant === "full" ? TENANT_LIMITS[tenant] : {}),
  });
  transports = await Transports.open(undefined, { limitsOf });
});
after(() => transports[Symbol.asyncDispose]());

async function failureOf(call: Promise<unknown>): Promise<Failure> {
  const thrown: unknown = await call.then(
    () => assert.fail("the job was stored"),
    (error: unknown) => error,
  );
  assert.ok(thrown instanceof Failure);
  return thrown;
}

/** The gRPC code and the retry delay in milliseconds of a failed call. */
function toldBy({ cause }: Failure): { readonly code: status; readonly retryMs: number } {
  const { retry } = detailsOf(cause as ServiceError);
  const { seconds = 0n, nanos = 0 } = retry?.retryDelay ?? {};
  return { code: (cause as ServiceError).code, retryMs: Number(seconds) * 1000 + nanos / 1e6 };
}

function submitAs(connection: Connection, count: number) {
  return connection.call(submitJobs, { jobs: Array.from({ length: count }, () => ({ job: PAIR })) });
}

test("refuses too many jobs per second with 429 or RESOURCE_EXHAUSTED and a retry delay", async () => {
  using slow = transports.connect("slow");
  await submitAs(slow, 31);
  const body = JSON.stringify(PAIR);
  const answer = await transports.ask("slow", "/v1/jobs", { method: "POST", headers: JSON_TYPE, body });
  assert.deepEqual([answer.status, answer.body["code"]], [429, "TENANT_SUBMIT_RATE"]);
  const seconds = answer.headers.get("retry-after") ?? "";
  assert.match(seconds, /^\d+$/);
  const failure = await failureOf(slow.call(submitJob, { job: PAIR }));
  const { code, retryMs } = toldBy(failure);
  assert.deepEqual([failure.code, code], ["TENANT_SUBMIT_RATE", status.RESOURCE_EXHAUSTED]);
  // 31 jobs at one a second, minus the first and the time passed; exact over gRPC, rounded up over REST.
  assert.ok(retryMs > 1_000 && retryMs <= 31_000, `${retryMs} ms`);
  assert.ok(Number(seconds) * 1000 >= retryMs);
  assert.equal(failure.retryAfterMs, retryMs);
  assert.match(
    failure.message,
    /is 1 jobs per second; it is \d+ ahead of that.*None of these was stored.*again in [\d.]+ s/,
  );
  const score = await transports.ask("slow", "/v1/score", { method: "POST", headers: JSON_TYPE, body });
  assert.ok(score.status === 429 || score.status === 503, "POST /v1/score stores no job either");
});

test("refuses a batch as a whole if the queue is full, over both transports, with the reason", async () => {
  using full = transports.connect("full");
  await submitAs(full, 1);
  const jobs = { jobs: [{ job: PAIR }, { job: PAIR }] };
  const answer = await transports.ask("full", "/v1/jobs:batch", {
    method: "POST",
    headers: JSON_TYPE,
    body: JSON.stringify(jobs),
  });
  assert.deepEqual([answer.status, answer.body["code"]], [429, "TENANT_QUEUE_FULL"]);
  assert.deepEqual(answer.body["found"], { limit: 2, queued: 1, submitted: 2 });
  assert.ok(Number(answer.headers.get("retry-after")) >= 1);
  const failure = await failureOf(full.call(submitJobs, jobs));
  assert.equal(toldBy(failure).code, status.RESOURCE_EXHAUSTED);
  assert.deepEqual(failure.found, { limit: "2", queued: "1", submitted: "2" });
  assert.ok((failure.retryAfterMs ?? 0) >= 1_000);
  await submitAs(full, 1);
  const tenant = await transports.ask("full~reader", "/v1/tenant");
  assert.deepEqual(tenant.body["usage"], { jobsQueued: 2, jobsRunning: 0, segmentsRunning: 0 });
  assert.deepEqual(tenant.body["limits"], { jobsQueued: 2, segmentsRunning: 4, weight: 1 });
  using other = transports.connect("other");
  await submitAs(other, 50);
});
