/** Cancelling and deleting many jobs, changing labels and listing by time, with equal results over REST and gRPC. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Connection } from "../../src/client/connection/connection.ts";
import { JobService } from "../../src/gen/proto/svc/v1/job_pb.ts";
import { Failure } from "../../src/platform/failure.ts";
import { until } from "../waiting.ts";
import { EventStream } from "./event-stream.ts";
import { JobsClient } from "./jobs-client.ts";
import { Transports } from "./transports.ts";

const PAIR = { reference: "/media/r.mp4", distorted: "/media/d.mp4" };
const JSON_TYPE = { "content-type": "application/json" };

/** Runs before each step of a cancellation. */
let beforeStep: () => Promise<void> = async () => {};
let transports: Transports;
let mine: Connection;
let jobs: JobsClient;
before(async () => {
  transports = await Transports.open((store) => ({
    cancelSome: async (...call) => {
      await beforeStep();
      return store.cancelSome(...call);
    },
  }));
  mine = transports.connect("mine");
  jobs = await JobsClient.of(transports, "mine");
});
after(async () => {
  mine[Symbol.dispose]();
  await transports[Symbol.asyncDispose]();
});

async function submit(count: number, labels: Record<string, string> = {}): Promise<string[]> {
  const spec = { job: { ...PAIR, labels } };
  const stored = await mine.call(JobService.method.submitJobs, {
    jobs: Array.from({ length: count }, () => spec),
  });
  return stored.jobs.map(({ job }) => job?.id ?? "");
}

interface Counts {
  readonly matched: number;
  readonly cancelled?: number;
  readonly deleted?: number;
}

const patch = (id: string, body: unknown) =>
  jobs.call<{ spec: { labels?: object } }>("updateJob", `/v1/jobs/${id}`, {
    ...{ method: "PATCH", headers: JSON_TYPE, body: JSON.stringify(body) },
  });

const remove = (id: string, query = "") =>
  jobs.call<{ id: string; state: string }>("deleteJob", `/v1/jobs/${id}${query}`, { method: "DELETE" });

test("without an Accept header, the final progress is the response, as over gRPC", async () => {
  await submit(230, { release: "rest" });
  await submit(230, { release: "grpc" });
  const rest = await jobs.post<Counts>("cancelJobs", "/v1/jobs:cancel", {
    filter: { labels: { release: "rest" } },
  });
  assert.deepEqual([rest.status, rest.body], [200, { matched: 230, cancelled: 230 }]);
  const progress = [];
  const request = { filter: { labels: { release: "grpc" } } };
  for await (const { matched, cancelled } of mine.stream(JobService.method.cancelJobs, request))
    progress.push([matched, cancelled]);
  assert.deepEqual(progress, [
    [230, 0],
    [230, 100],
    [230, 200],
    [230, 230],
  ]);
  const filter = { states: ["CANCELLED"], labels: { release: "rest" } };
  const dry = await jobs.post<Counts>("deleteJobs", "/v1/jobs:delete", { filter, dryRun: true });
  assert.deepEqual(dry.body, { matched: 230, deleted: 0 });
  const gone = await jobs.post<Counts>("deleteJobs", "/v1/jobs:delete", { filter });
  assert.deepEqual(gone.body, { matched: 230, deleted: 230 });
  assert.deepEqual((await jobs.list("?label=release=rest")).body.jobs, []);
});

/** The store fails after this many steps. */
function awayAfter(steps: number): void {
  let left = steps;
  beforeStep = async () => {
    if (left-- <= 0) throw new Failure("STORE_UNAVAILABLE", "The store is unavailable.");
  };
}

/** Returns the events of a response. */
async function events(path: string, body: object) {
  const headers = { ...JSON_TYPE, accept: "text/event-stream", authorization: "Bearer mine" };
  const response = await fetch(transports.rest + path, {
    ...{ method: "POST", headers, body: JSON.stringify(body) },
  });
  assert.deepEqual(
    [response.status, response.headers.get("content-type")],
    [200, "text/event-stream; charset=utf-8"],
  );
  const blocks = (await response.text()).split("\n\n").filter((block) => block.startsWith("event"));
  return blocks.map((block) => {
    const [, name = "", data = ""] = /^event: (\w+)\ndata: (.*)$/.exec(block) ?? [];
    return [name, JSON.parse(data) as Counts & { code?: string; found?: object }] as const;
  });
}

test("an event stream contains each step, and an early failure", async () => {
  await submit(150, { release: "events" });
  const filter = { labels: { release: "events" } };
  assert.deepEqual(await events("/v1/jobs:cancel", { filter, dryRun: true }), [
    ["progress", { matched: 150, cancelled: 0 }],
    ["done", { matched: 150, cancelled: 0 }],
  ]);
  awayAfter(1);
  const [first, second, third, ...none] = await events("/v1/jobs:cancel", { filter });
  assert.deepEqual(
    [first, second],
    [
      ["progress", { matched: 150, cancelled: 0 }],
      ["progress", { matched: 150, cancelled: 100 }],
    ],
  );
  assert.deepEqual(
    [third?.[0], third?.[1].code, third?.[1].found],
    ["error", "STORE_UNAVAILABLE", { matched: 150, cancelled: 100 }],
  );
  assert.deepEqual(none, []);
  awayAfter(0);
  const plain = await jobs.post<Counts>("cancelJobs", "/v1/jobs:cancel", { filter });
  assert.deepEqual([plain.status, plain.body.code], [503, "STORE_UNAVAILABLE"]);
  beforeStep = async () => {};
  assert.deepEqual((await events("/v1/jobs:cancel", { filter })).at(-1), [
    "done",
    { matched: 50, cancelled: 50 },
  ]);
  assert.deepEqual((await events("/v1/jobs:delete", { filter })).at(-1), [
    "done",
    { matched: 150, deleted: 150 },
  ]);
});

test("invalid requests get an error status, even if events are accepted", async () => {
  const [id = ""] = await submit(1);
  const bodies: [object, RegExp][] = [
    [{}, /no condition/],
    [{ filter: { state: ["QUEUED"] } }, /filter\.state" is not a member/],
    [{ filter: { since: "yesterday" } }, /cannot be read/],
    [{ filter: { ids: ["x"] } }, /not a job id/],
    [{ all: "yes" }, /must be boolean/],
    [{ all: true, filter: { states: ["QUEUED"] } }, /both given/],
  ];
  for (const [body, pattern] of bodies) {
    for (const accept of ["application/json", "text/event-stream"]) {
      const answer = await jobs.post("cancelJobs", "/v1/jobs:cancel", body, { accept });
      assert.deepEqual([answer.status, answer.body.code], [400, "INVALID_REQUEST"], JSON.stringify(body));
      assert.match(answer.body.detail, pattern);
    }
  }
  const running = { filter: { states: ["QUEUED"] } };
  assert.match((await jobs.post("deleteJobs", "/v1/jobs:delete", running)).body.detail, /cancel: true/);
  assert.equal((await jobs.get(id)).body.state, "QUEUED");
});

test("accepts ids of ten thousand jobs in one request", async () => {
  const ids = Array.from({ length: 10_000 }, () => crypto.randomUUID());
  const [own = ""] = await submit(1);
  const named = await jobs.post<Counts>("cancelJobs", "/v1/jobs:cancel", {
    filter: { ids: [...ids.slice(1), own] },
  });
  assert.deepEqual(named.body, { matched: 1, cancelled: 1 });
});

test("stops after the current step when the client leaves", async () => {
  await submit(250, { release: "left" });
  const filter = { labels: { release: "left" } };
  const [begun, left] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let steps = 0;
  beforeStep = async () => {
    if (++steps < 2) return;
    begun.resolve();
    await left.promise;
  };
  const headers = { ...JSON_TYPE, accept: "text/event-stream", authorization: "Bearer mine" };
  const stream = await EventStream.open(`${transports.rest}/v1/jobs:cancel`, headers, {
    ...{ method: "POST", body: JSON.stringify({ filter }) },
  });
  await stream.find(({ data }) => data.includes('"cancelled":100'));
  await begun.promise;
  stream[Symbol.dispose]();
  const open = async () =>
    (await jobs.list("?label=release=left&state=QUEUED&pageSize=500")).body.jobs.length;
  // The server receives this request after the disconnect.
  assert.equal(await open(), 150);
  left.resolve();
  await until(async () => (await open()) === 50, "the current step");
  assert.equal(steps, 2);
  beforeStep = async () => {};
});

test("changes labels and deletes a job equally over both transports", async () => {
  const [id = "", other = ""] = await submit(2, { release: "7" });
  const over = await patch(id, { setLabels: { release: "8" }, removeLabels: ["none"] });
  assert.deepEqual([over.status, over.body.spec.labels], [200, { release: "8" }]);
  const { job } = await mine.call(JobService.method.updateJob, { id, removeLabels: ["release"] });
  assert.deepEqual(job?.spec?.labels, {});
  assert.equal((await patch(id, {})).status, 400);
  assert.match((await patch(id, { labels: {} })).body.detail, /labels/);
  assert.match((await patch(id, { setLabels: { "a b": "c" } })).body.detail, /the key "a b"/);
  assert.equal((await patch(crypto.randomUUID(), { setLabels: { a: "b" } })).body.code, "JOB_NOT_FOUND");

  const early = await remove(id);
  assert.deepEqual([early.status, early.body.code], [409, "JOB_NOT_FINISHED"]);
  assert.match((await remove(id, "?cancel=maybe")).body.detail, /not true or false/);
  assert.equal((await remove(id, "?cancel=false")).status, 409);
  const gone = await remove(id, "?cancel=true");
  assert.deepEqual([gone.status, gone.body.id, gone.body.state], [200, id, "QUEUED"]);
  assert.equal((await remove(id)).status, 404);
  const deleted = await mine.call(JobService.method.deleteJob, { id: other, cancel: true });
  assert.equal(deleted.job?.id, other);
});

test("lists accept times and an order as parameters", async () => {
  const [first = ""] = await submit(1, { list: "times" });
  await jobs.cancel(first);
  const [second = ""] = await submit(1, { list: "times" });
  const ids = async (query: string) => {
    const { status, body } = await jobs.list(`?label=list=times&${query}`);
    return status === 200 ? body.jobs.map(({ id }) => id) : body.detail;
  };
  const now = new Date(Date.now() + 60_000).toISOString();
  assert.deepEqual(await ids("sort=OLDEST"), [first, second]);
  assert.deepEqual(await ids("sort=LAST_ENDED"), [first]);
  assert.deepEqual(await ids(`since=${now}`), []);
  assert.deepEqual(await ids(`until=${now}&endedUntil=${now}&endedSince=2026-01-01T00:00:00Z`), [first]);
  assert.deepEqual(await ids(`until=${encodeURIComponent("2026-01-01T00:00:00+02:00")}`), []);
  assert.match(String(await ids("sort=newest")), /NEWEST, OLDEST, LAST_ENDED, FIRST_ENDED/);
  assert.match(String(await ids("since=yesterday")), /since must match/);
  assert.match(String(await ids("since=2026-13-01T00:00:00Z")), /cannot be read/);
});
