/** Requests that cancel or delete many jobs, and changes of labels, through the controller's services. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { AuditEntry } from "../../src/audit/entry.ts";
import type { AuditRecord } from "../../src/audit/record.ts";
import {
  CancelJobsRequestSchema,
  type CancelJobsResponse,
  DeleteJobRequestSchema,
  DeleteJobsRequestSchema,
  type DeleteJobsResponse,
  Job_State,
  StreamJobsResponse_Kind as Kind,
  ListJobsRequestSchema,
  ListJobsRequest_Sort as Sort,
  type StreamJobsResponse,
  UpdateJobRequestSchema,
} from "../../src/gen/proto/svc/v1/job_pb.ts";
import { Failure } from "../../src/platform/failure.ts";
import { caller, Peer } from "./peer.ts";
import { refused, System, wrapped } from "./system.ts";

let system: System;
before(async () => {
  system = await System.open();
});
after(async () => system.close());

type CancelJobs = MessageInitShape<typeof CancelJobsRequestSchema>;
type DeleteJobs = MessageInitShape<typeof DeleteJobsRequestSchema>;

const cancelJobs = (tenant: string, request: CancelJobs, context = caller(tenant), from = system) =>
  from.jobs.cancelJobs(create(CancelJobsRequestSchema, request), context);

const deleteJobs = (tenant: string, request: DeleteJobs, context = caller(tenant)) =>
  system.jobs.deleteJobs(create(DeleteJobsRequestSchema, request), context);

async function read<T>(parts: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const part of parts) all.push(part);
  return all;
}

const cancelled = (steps: readonly CancelJobsResponse[]) =>
  steps.map(({ matched, cancelled: done }) => [matched, done]);

const deleted = (steps: readonly DeleteJobsResponse[]) =>
  steps.map(({ matched, deleted: done }) => [matched, done]);

async function submit(tenant: string, count: number, labels: Record<string, string> = {}): Promise<string[]> {
  const jobs = await Promise.all(Array.from({ length: count }, () => system.submit(tenant, { labels })));
  return jobs.map(({ job }) => job.id);
}

async function remove(tenant: string, id: string, cancel = false) {
  return system.jobs.deleteJob(create(DeleteJobRequestSchema, { id, cancel }), caller(tenant));
}

async function relabel(tenant: string, request: MessageInitShape<typeof UpdateJobRequestSchema>) {
  const { job } = await system.jobs.updateJob(create(UpdateJobRequestSchema, request), caller(tenant));
  return job?.spec?.labels;
}

async function list(tenant: string, request: MessageInitShape<typeof ListJobsRequestSchema>) {
  const { jobs } = await system.jobs.listJobs(create(ListJobsRequestSchema, request), caller(tenant));
  return jobs.map(({ id }) => id);
}

/** A caller whose audit records are kept, made like those of the transports. */
function audited(tenant: string, signal?: AbortSignal) {
  const records: AuditRecord[] = [];
  const request = { requestId: "r", transport: "grpc", operation: "o", peer: "here" } as const;
  const entry = new AuditEntry(request, (record) => records.push(record));
  entry.admitted({ tenant, subject: "alice" });
  return { records, entry, context: { ...caller(tenant, signal), entry } };
}

describe("cancelling many", () => {
  test("reports the count, then the progress; one audit entry has the filter and the number", async () => {
    const tenant = "many";
    await submit(tenant, 130, { release: "7" });
    const [kept = ""] = await submit(tenant, 1, { release: "8" });
    const { records, entry, context } = audited(tenant);
    const since = timestampFromMs(Date.parse("2020-01-01T00:00:00Z"));
    const filter = { states: [Job_State.QUEUED], labels: { release: "7" }, since };
    assert.deepEqual(cancelled(await read(cancelJobs(tenant, { filter }, context))), [
      [130, 0],
      [130, 100],
      [130, 130],
    ]);
    entry.close(true);
    assert.deepEqual(
      records.map((record) => [record.outcome, record.filter, record.jobs, record.targets]),
      [["OK", "state=QUEUED&label=release%3D7&since=2020-01-01T00%3A00%3A00.000Z", 130, []]],
    );
    assert.equal((await system.job(tenant, kept)).state, Job_State.QUEUED);
    const usage = { state: "CANCELLED" };
    const before = await system.metric("svc_jobs_ended_total", usage);
    assert.deepEqual(cancelled(await read(cancelJobs(tenant, { all: true }))), [
      [1, 0],
      [1, 1],
    ]);
    assert.equal(await system.metric("svc_jobs_ended_total", usage), before + 1);
  });

  test("a dry run counts and changes nothing", async () => {
    const tenant = "dry";
    const [id = ""] = await submit(tenant, 1);
    const { records, entry, context } = audited(tenant);
    assert.deepEqual(cancelled(await read(cancelJobs(tenant, { all: true, dryRun: true }, context))), [
      [1, 0],
    ]);
    entry.close(true);
    assert.deepEqual(
      records.map(({ filter, jobs, unchanged }) => [filter, jobs, unchanged]),
      [["all=true&dryRun=true", 0, true]],
    );
    assert.equal((await system.job(tenant, id)).state, Job_State.QUEUED);
  });

  test("selects by id exactly the named jobs, however many, and none of another tenant", async () => {
    const tenant = "named";
    const ids = await submit(tenant, 105);
    const [other = ""] = await submit("named elsewhere", 1);
    const [kept = ""] = await submit(tenant, 1);
    const steps = cancelled(await read(cancelJobs(tenant, { filter: { ids: [...ids, other] } })));
    assert.deepEqual(steps[0], [105, 0]);
    assert.deepEqual(steps.at(-1), [105, 105]);
    assert.equal((await system.job(tenant, kept)).state, Job_State.QUEUED);
    assert.equal((await system.job("named elsewhere", other)).state, Job_State.QUEUED);
  });

  test("notifies nodes at once that their tasks have ended", async () => {
    const tenant = "news";
    await submit(tenant, 2);
    const node = await Peer.register(system.nodes, tenant);
    const item = await node.pullNow();
    const running = [{ itemId: item.itemId, attempt: item.attempt }];
    const beat = node.heartbeat({ running, holdMs: 20_000 });
    await read(cancelJobs(tenant, { all: true }));
    assert.deepEqual(
      (await beat).stop.map(({ itemId }) => itemId),
      [item.itemId],
    );
  });

  test("refuses invalid requests before anything is changed", async () => {
    const tenant = "refused";
    await submit(tenant, 1);
    const requests: [CancelJobs, RegExp][] = [
      [{}, /no condition/],
      [{ filter: {} }, /no condition/],
      [{ filter: { ids: [], states: [] } }, /no condition/],
      [{ filter: { states: [Job_State.QUEUED] }, all: true }, /both given/],
      [{ filter: { states: [Job_State.QUEUED, Job_State.FAILED] } }, /FAILED; only .* QUEUED or RUNNING/],
      [{ filter: { states: [Job_State.STATE_UNSPECIFIED] } }, /is not a state/],
      [{ filter: { ids: ["x"] } }, /not a job id/],
      [{ filter: { ids: Array.from({ length: 10_001 }, () => "x") } }, /at most 10000/],
      [{ filter: { labels: { "a b": "c" } } }, /the key/],
      [{ filter: { since: { seconds: 2n ** 40n } } }, /since is not a time/],
      [{ filter: { endedUntil: { seconds: -(2n ** 40n) } } }, /endedUntil is not a time/],
    ];
    for (const [request, pattern] of requests) {
      const failure = await refused(read(cancelJobs(tenant, request)), "INVALID_REQUEST");
      assert.match(failure.message, pattern);
    }
    assert.deepEqual(cancelled(await read(cancelJobs(tenant, { all: true, dryRun: true }))), [[1, 0]]);
  });

  test("ends after the current step when the caller disconnects, and continues when repeated", async () => {
    const tenant = "leaver";
    await submit(tenant, 150);
    const gone = new AbortController();
    const { records, entry, context } = audited(tenant, gone.signal);
    const parts = cancelJobs(tenant, { all: true }, context)[Symbol.asyncIterator]();
    await parts.next();
    const step = parts.next();
    gone.abort();
    entry.close(false);
    assert.deepEqual((await step).value?.cancelled, 100);
    assert.deepEqual(records, [], "it ends with its last step");
    const failure = await refused(parts.next(), "SCORE_CANCELLED");
    assert.match(failure.message, /100 of 150 jobs were already cancelled\. Repeat the request to continue/);
    assert.deepEqual(
      records.map(({ outcome, jobs }) => [outcome, jobs]),
      [["SCORE_CANCELLED", 100]],
    );
    assert.deepEqual(cancelled(await read(cancelJobs(tenant, { all: true }))), [
      [50, 0],
      [50, 50],
    ]);
  });

  test("ends with the progress made when the store fails, the token is revoked or the controller stops", async () => {
    const tenant = "ends";
    await submit(tenant, 350);
    let steps = 0;
    const away = wrapped(system.store, {
      cancelSome: async (...call) => {
        if (++steps > 1) throw new Failure("STORE_UNAVAILABLE", "The store is away.");
        return system.store.cancelSome(...call);
      },
    });
    const broken = new System(away, {}, async () => {});
    const lost = await refused(
      read(cancelJobs(tenant, { all: true }, caller(tenant), broken)),
      "STORE_UNAVAILABLE",
    );
    assert.deepEqual(lost.found, { matched: 350, cancelled: 100 });
    await broken.close();

    const shut = new Failure("TOKEN_REVOKED", "The token was taken back.");
    const readmit = async () => {
      throw shut;
    };
    // Until the next check, a second later.
    const slow = wrapped(system.store, {
      cancelSome: async (...call) => {
        await new Promise((resolve) => setTimeout(resolve, 1_500));
        return system.store.cancelSome(...call);
      },
    });
    const slowed = new System(slow, {}, async () => {});
    const revoked = cancelJobs(tenant, { all: true }, { ...caller(tenant), readmit }, slowed);
    await refused(read(revoked), "TOKEN_REVOKED");

    const parts = cancelJobs(tenant, { all: true }, caller(tenant), slowed)[Symbol.asyncIterator]();
    const { value } = await parts.next();
    slowed.controller.refuseNew();
    const failure = await refused(parts.next(), "SHUTTING_DOWN");
    assert.deepEqual(failure.found, { matched: value?.matched, cancelled: 0 });
    await slowed.close();
  });
});

describe("deleting", () => {
  test("removes a job that has ended, and everything that belongs to it", async () => {
    const tenant = "delete";
    const { job } = await system.submit(tenant, {}, "key");
    const node = await Peer.register(system.nodes, tenant);
    await node.work(40);
    const ended = await system.until(tenant, job.id, ({ endTime }) => endTime !== undefined);
    const removed = await remove(tenant, job.id);
    assert.deepEqual([removed.job?.id, removed.job?.state], [job.id, ended.state]);
    await refused(system.job(tenant, job.id), "JOB_NOT_FOUND");
    await refused(system.frames(tenant, { id: job.id }), "JOB_NOT_FOUND");
    await refused(remove(tenant, job.id), "JOB_NOT_FOUND");
    await refused(remove("another", job.id), "JOB_NOT_FOUND");
    assert.equal((await system.submit(tenant, {}, "key")).existed, false);
  });

  test("refuses a job that has not ended, or cancels it first if requested", async () => {
    const tenant = "running";
    const { job } = await system.submit(tenant);
    const node = await Peer.register(system.nodes, tenant);
    const item = await node.pullNow();
    const failure = await refused(remove(tenant, job.id), "JOB_NOT_FINISHED");
    assert.deepEqual(failure.found, { state: "RUNNING" });
    await refused(remove("another", job.id, true), "WRONG_TENANT");
    const before = await system.metric("svc_jobs_ended_total", { state: "CANCELLED" });
    const running = [{ itemId: item.itemId, attempt: item.attempt }];
    const beat = node.heartbeat({ running, holdMs: 20_000 });
    await remove(tenant, job.id, true);
    assert.equal((await beat).stop.length, 1, "its node stops at once");
    assert.equal(await system.metric("svc_jobs_ended_total", { state: "CANCELLED" }), before + 1);
    await refused(node.plan(item, 40), "STALE_ATTEMPT");
  });

  test("skips jobs that have not ended, unless they are cancelled first", async () => {
    const tenant = "delete many";
    await submit(tenant, 120, { release: "7" });
    await read(cancelJobs(tenant, { all: true }));
    await submit(tenant, 3, { release: "7" });
    const filter = { labels: { release: "7" } };
    assert.deepEqual(deleted(await read(deleteJobs(tenant, { filter, cancel: true, dryRun: true }))), [
      [123, 0],
    ]);
    assert.deepEqual(deleted(await read(deleteJobs(tenant, { filter }))).at(-1), [120, 120]);
    assert.equal((await list(tenant, {})).length, 3);
    const open = { states: [Job_State.QUEUED], labels: { release: "7" } };
    const failure = await refused(read(deleteJobs(tenant, { filter: open })), "INVALID_REQUEST");
    assert.match(failure.message, /cancel: true/);
    const { records, entry, context } = audited(tenant);
    assert.deepEqual(
      deleted(await read(deleteJobs(tenant, { filter: open, cancel: true }, context))).at(-1),
      [3, 3],
    );
    entry.close(true);
    assert.deepEqual(
      records.map(({ filter: text, jobs }) => [text, jobs]),
      [["state=QUEUED&label=release%3D7&cancel=true", 3]],
    );
    assert.deepEqual(await list(tenant, {}), []);
    assert.deepEqual(deleted(await read(deleteJobs(tenant, { all: true, cancel: true }))), [
      [0, 0],
      [0, 0],
    ]);
  });

  test("is reported by streams with any filter, so that no list keeps a deleted job", async () => {
    const tenant = "reported";
    const [id = ""] = await submit(tenant, 1, { a: "1" });
    const streams = [
      {},
      { ids: [id] },
      { states: [Job_State.QUEUED, Job_State.RUNNING] },
      { labels: { a: "1" } },
    ].map((request) => system.stream(tenant, request)[Symbol.asyncIterator]());
    for (const stream of streams) {
      const responses: StreamJobsResponse[] = [];
      while (responses.at(-1)?.kind !== Kind.SNAPSHOT_END) responses.push((await stream.next()).value);
      assert.equal(responses[0]?.job?.id, id);
    }
    // Without a pause, because changes in between need not be reported.
    await relabel(tenant, { id, setLabels: { a: "2" } });
    await remove(tenant, id, true);
    for (const stream of streams) {
      for (;;) {
        const { value } = await stream.next();
        assert.equal(value.job?.id, id);
        if (value.kind === Kind.DELETED) break;
      }
      await stream.return?.();
    }
  });
});

describe("labels", () => {
  test("are added, changed and removed in any state, and lists find them", async () => {
    const tenant = "labels";
    const [id = ""] = await submit(tenant, 1, { release: "7", old: "yes" });
    const change = { id, setLabels: { release: "8", "new/key": "é" }, removeLabels: ["old", "none"] };
    const labels = { release: "8", "new/key": "é" };
    assert.deepEqual(await relabel(tenant, change), labels);
    assert.deepEqual((await system.job(tenant, id)).spec?.labels, labels);
    assert.deepEqual(await list(tenant, { labels }), [id]);
    assert.deepEqual(await list(tenant, { labels: { release: "7" } }), []);
    await system.cancel(tenant, id);
    const { revision } = await system.job(tenant, id);
    assert.deepEqual(await relabel(tenant, { id, removeLabels: ["release", "new/key"] }), {});
    assert.deepEqual(await relabel(tenant, { id, removeLabels: ["release"] }), {});
    assert.equal((await system.job(tenant, id)).revision, revision + 1, "an identical label is no change");
    assert.equal((await system.job(tenant, id)).state, Job_State.CANCELLED);
  });

  test("are refused if they break the rules of submission, and nothing changes", async () => {
    const tenant = "rules";
    const full = Object.fromEntries(Array.from({ length: 32 }, (_, n) => [`l${n}`, "x"]));
    const [id = ""] = await submit(tenant, 1, full);
    const changes: [MessageInitShape<typeof UpdateJobRequestSchema>, RegExp][] = [
      [{}, /names no label/],
      [{ setLabels: { one: "more" } }, /33 labels; at most 32/],
      [{ setLabels: { "": "x" } }, /the key/],
      [{ setLabels: { l0: "x".repeat(256) } }, /longer than 255/],
      [{ setLabels: { l0: "a\nb" } }, /control character/],
      [{ removeLabels: ["a b"] }, /the key/],
      [{ removeLabels: Array.from({ length: 33 }, (_, n) => `k${n}`) }, /33 keys/],
      [{ setLabels: { l0: "y" }, removeLabels: ["l0"] }, /l0 is in both/],
    ];
    for (const [change, pattern] of changes) {
      const failure = await refused(relabel(tenant, { id, ...change }), "INVALID_REQUEST");
      assert.match(failure.message, pattern);
    }
    assert.equal((await system.job(tenant, id)).revision, 1);
    assert.deepEqual(await relabel(tenant, { id, setLabels: { one: "more" }, removeLabels: ["l0"] }), {
      ...Object.fromEntries(Object.entries(full).slice(1)),
      one: "more",
    });
    await refused(relabel("another", { id, setLabels: { l1: "x" } }), "WRONG_TENANT");
    await refused(relabel(tenant, { id: "x", setLabels: { l1: "x" } }), "JOB_NOT_FOUND");
  });

  test("keep the idempotency key and all other members of the request", async () => {
    const tenant = "again";
    const spec = { name: "n", priority: 3, models: ["vmaf_v0.6.1"], labels: { a: "1" } };
    const { job } = await system.submit(tenant, spec, "key");
    await relabel(tenant, { id: job.id, setLabels: { a: "2" } });
    const again = await system.submit(tenant, spec, "key");
    assert.deepEqual([again.existed, again.job.spec?.labels], [true, { a: "2" }]);
    assert.deepEqual({ ...again.job.spec, labels: {} }, { ...job.spec, labels: {} });
  });

  test("of a stream's filter match the labels before a change too, so that it reports jobs that leave it", async () => {
    const tenant = "leaves";
    const [id = ""] = await submit(tenant, 1, { release: "7" });
    const stream = system.stream(tenant, { labels: { release: "7" } })[Symbol.asyncIterator]();
    for (
      let response = await stream.next();
      response.value.kind !== Kind.SNAPSHOT_END;
      response = await stream.next()
    );
    const next = async () => {
      const { kind, job } = (await stream.next()).value;
      return [kind, job?.id, job?.revision];
    };
    await relabel(tenant, { id, setLabels: { release: "8" } });
    assert.deepEqual(await next(), [Kind.CHANGE, id, 2]);
    await relabel(tenant, { id, setLabels: { release: "9" } });
    const [other] = await submit(tenant, 1, { release: "7" });
    assert.deepEqual(await next(), [Kind.CHANGE, other, 1]);
    await relabel(tenant, { id, setLabels: { release: "7" } });
    assert.deepEqual(await next(), [Kind.CHANGE, id, 4]);
    await stream.return?.();
  });
});

test("lists by time of submission and of end, in each order; a page token belongs to its own list", async () => {
  const tenant = "times";
  const ids: string[] = [];
  const moments: number[] = [];
  for (let index = 0; index < 3; index++) {
    ids.push(...(await submit(tenant, 1)));
    await new Promise((resolve) => setTimeout(resolve, 5));
    moments.push(await system.store.now());
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  const [first = "", second = "", third = ""] = ids;
  const at = (index: number) => timestampFromMs(moments[index] ?? 0);
  for (const id of [second, first]) {
    await system.cancel(tenant, id);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  assert.deepEqual(await list(tenant, { since: at(0) }), [third, second]);
  assert.deepEqual(await list(tenant, { since: at(0), until: at(1) }), [second]);
  assert.deepEqual(await list(tenant, { sort: Sort.OLDEST }), [first, second, third]);
  assert.deepEqual(await list(tenant, { sort: Sort.LAST_ENDED }), [first, second]);
  assert.deepEqual(await list(tenant, { sort: Sort.FIRST_ENDED, until: at(0) }), [first]);
  assert.deepEqual(await list(tenant, { endedSince: at(2) }), [second, first]);
  assert.deepEqual(await list(tenant, { endedUntil: at(2) }), []);
  const page = (request: MessageInitShape<typeof ListJobsRequestSchema>) =>
    system.jobs.listJobs(create(ListJobsRequestSchema, { pageSize: 1, ...request }), caller(tenant));
  const { nextPageToken: pageToken } = await page({ sort: Sort.LAST_ENDED });
  const { jobs } = await page({ sort: Sort.LAST_ENDED, pageToken });
  assert.deepEqual(
    jobs.map(({ id }) => id),
    [second],
  );
  for (const other of [{}, { sort: Sort.FIRST_ENDED }, { sort: Sort.LAST_ENDED, since: at(0) }])
    await refused(page({ ...other, pageToken }), "INVALID_REQUEST");
  await refused(page({ sort: 17 as Sort }), "INVALID_REQUEST");
});

test("a job that has ended states when it expires", async () => {
  const { job } = await system.submit("kept");
  assert.equal((await system.job("kept", job.id)).expireTime, undefined);
  await system.cancel("kept", job.id);
  const { endTime, expireTime } = await system.job("kept", job.id);
  assert.equal(Number(expireTime?.seconds) - Number(endTime?.seconds), 30 * 24 * 3600);
});
