import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { create } from "@bufbuild/protobuf";
import fc from "fast-check";
import { EventBuffer } from "../../src/controller/events/event-buffer.ts";
import { JobStream } from "../../src/controller/events/stream.ts";
import {
  Job_State,
  StreamJobsResponse_Kind as Kind,
  StreamJobsRequestSchema,
  type StreamJobsResponse,
} from "../../src/gen/proto/svc/v1/job_pb.ts";
import { Failure } from "../../src/platform/failure.ts";
import type { Store } from "../../src/store/contract/store.ts";
import { newJob, nextMoment } from "../store/stores.ts";
import { Peer } from "./peer.ts";
import { failureReport } from "./scored.ts";
import { LOG, refused, System, wrapped } from "./system.ts";

const PARITIES = ["even", "odd"];

/** Reads a stream until the predicate holds for the last message, which is included. */
async function read(
  stream: AsyncIterable<StreamJobsResponse>,
  isLast: (response: StreamJobsResponse) => boolean,
): Promise<StreamJobsResponse[]> {
  const all: StreamJobsResponse[] = [];
  for await (const response of stream) {
    all.push(response);
    if (isLast(response)) return all;
  }
  return assert.fail("the stream ended");
}

describe("streams of jobs", () => {
  let system: System;
  before(async () => {
    system = await System.open();
  });
  after(async () => system.close());

  /** Submits jobs that are planned, scored, fail or are cancelled, several at a time, until each has ended. */
  async function bustle(tenant: string, jobs: number): Promise<void> {
    const node = await Peer.register(system.nodes, tenant);
    const ids = await Promise.all(
      Array.from({ length: jobs }, async (_, index) => {
        const labels = { parity: PARITIES[index % 2] ?? "", third: String(index % 3) };
        const { job } = await system.submit(tenant, { labels });
        if (index % 5 === 0) await system.cancel(tenant, job.id);
        return job.id;
      }),
    );
    for (let count = 0; ; count++) {
      const item = await node.pull();
      if (item === undefined) break;
      if (item.work.case === "segment") await node.score(item, 40);
      else if (count % 4 === 3)
        await node.report(item, { case: "failure", value: failureReport("MEDIA_NOT_FOUND") });
      else await node.plan(item, 40, 20);
    }
    // They are pooled in the background; none of their changes disturbs what follows.
    for (const id of ids) await system.until(tenant, id, ({ endTime }) => endTime !== undefined);
  }

  /** A job that ends; when its end is reported, so is everything before it. */
  async function mark(tenant: string): Promise<string> {
    const { job } = await system.submit(tenant, { labels: { parity: "odd", third: "0" } });
    await system.cancel(tenant, job.id);
    return job.id;
  }

  const isEndOf = (id: string) => (response: StreamJobsResponse) =>
    response.job?.id === id && response.job.state === Job_State.CANCELLED;

  test("started during many changes deliver every revision of every job once, in order", async () => {
    const tenant = "bustle";
    let busy = true;
    const streams: StreamJobsResponse[][] = [];
    const several = async (): Promise<void> => {
      do await bustle(tenant, 12);
      while (streams.length < 2);
    };
    const bustling = several().finally(() => {
      busy = false;
    });
    const reading: Promise<unknown>[] = [];
    let end: string | undefined;
    do {
      // Starts now, while jobs change; what the snapshot does not include must follow.
      const received: StreamJobsResponse[] = [];
      streams.push(received);
      const complete = Promise.withResolvers<void>();
      const read = async (): Promise<void> => {
        for await (const response of system.stream(tenant)) {
          received.push(response);
          if (response.kind === Kind.SNAPSHOT_END) complete.resolve();
          if (end !== undefined && isEndOf(end)(response)) return;
        }
      };
      reading.push(read());
      await complete.promise;
    } while (busy && streams.length < 20);
    await bustling;
    const { job } = await system.submit(tenant);
    end = job.id;
    await system.cancel(tenant, job.id);
    await Promise.all(reading);
    assert.ok(streams.length >= 2);
    for (const received of streams) assertComplete(received);
  });

  /** For each job the snapshot or its first revision, then each following revision. */
  function assertComplete(received: readonly StreamJobsResponse[]): void {
    const revisions = new Map<string, number>();
    const ends = received.filter(({ kind }) => kind === Kind.SNAPSHOT_END);
    assert.equal(ends.length, 1);
    let live = false;
    for (const { kind, job, eventId } of received) {
      if (kind === Kind.SNAPSHOT_END) live = true;
      if (job === undefined) continue;
      assert.equal(kind, live ? Kind.CHANGE : Kind.SNAPSHOT);
      assert.equal(eventId === "", !live);
      const before = revisions.get(job.id);
      if (live) assert.equal(job.revision, (before ?? 0) + 1, `revision ${job.revision} after ${before}`);
      else assert.equal(before, undefined, "a job appears once in a snapshot");
      revisions.set(job.id, job.revision);
    }
  }

  test("repeat no change that the snapshot included, even if the feed reads it later", async () => {
    const tenant = "later";
    const eventBuffer = new EventBuffer(system.store, LOG);
    eventBuffer.start();
    // The last change before the snapshot, which is not announced to the feed.
    const eventCursor = async (): Promise<string> => {
      await system.submit(tenant);
      return system.store.eventCursor();
    };
    const store = wrapped(system.store, { eventCursor });
    const ends = new AbortController();
    const open = () =>
      new JobStream({ store, eventBuffer }, tenant, {}, create(StreamJobsRequestSchema)).run(ends.signal);
    const awake = open();
    for (
      let response = await awake.next();
      response.value?.kind !== Kind.SNAPSHOT_END;
      response = await awake.next()
    );
    const reading = awake.next();
    const stream = open();
    const held: string[] = [];
    for (
      let response = await stream.next();
      response.value?.job !== undefined;
      response = await stream.next()
    ) {
      held.push(response.value.job.id);
    }
    assert.equal(held.length, 2);
    const change = stream.next();
    const { job } = await system.submit(tenant);
    assert.equal((await change).value?.job?.id, job.id);
    ends.abort();
    await Promise.all([reading, stream.return(undefined)]);
    await awake.return(undefined);
    await eventBuffer.stop();
  });

  test("get only events of their own tenant from the feed, and read missed ones as the tenant", async (context) => {
    const [tenant, other] = ["routed", "routed elsewhere"];
    const eventBuffer = new EventBuffer(system.store, LOG);
    context.after(async () => eventBuffer.stop());
    eventBuffer.start();
    const end = eventBuffer.listen(() => {});
    await eventBuffer.catchUp();
    const start = eventBuffer.head;
    for (const one of [other, tenant, other]) await system.submit(one);
    await eventBuffer.catchUp();
    const first = eventBuffer.next(tenant, start);
    assert.equal(first?.entry?.event.job.tenant, tenant);
    assert.deepEqual(eventBuffer.next(tenant, first.position), {
      position: eventBuffer.head,
      entry: undefined,
    });
    assert.deepEqual(eventBuffer.next("nobody", start), { position: eventBuffer.head, entry: undefined });
    assert.equal(eventBuffer.next(tenant, eventBuffer.tail - 1), undefined);
    end();
    const read: string[] = [];
    const store = wrapped(system.store, {
      tenantEventsAfter: async (of, cursor, limit) => {
        read.push(of);
        return system.store.tenantEventsAfter(of, cursor, limit);
      },
      eventsAfter: () => assert.fail("only the feed reads the events of all tenants"),
    });
    const request = create(StreamJobsRequestSchema);
    const gone = new AbortController();
    for await (const { kind, job } of new JobStream({ store, eventBuffer }, tenant, {}, request).run(
      gone.signal,
    )) {
      assert.ok(job === undefined || job.tenantId === tenant);
      if (kind === Kind.CHANGE) gone.abort();
      if (kind !== Kind.SNAPSHOT_END) continue;
      await system.submit(other);
      await system.submit(tenant);
    }
    assert.deepEqual([...new Set(read)], [tenant]);
  });

  test("resumed after any event, with any filter, deliver what the whole stream delivered after it", async () => {
    const tenant = "resume";
    const other = "resume other";
    const node = await Peer.register(system.nodes, other);
    const whole = system.stream(tenant)[Symbol.asyncIterator]();
    const start = (await whole.next()).value as StreamJobsResponse;
    assert.equal(start.kind, Kind.SNAPSHOT_END);
    await Promise.all([bustle(tenant, 10), system.submit(other)]);
    assert.equal(await node.work(30), 2);
    const end = await mark(tenant);
    const rest = await read({ [Symbol.asyncIterator]: () => whole }, isEndOf(end));
    const events = [start, ...rest];
    const before = new Map<string, Job_State>();
    const changes = events.slice(1).map((event) => {
      const { job } = event;
      assert.ok(job);
      const from = before.get(job.id);
      before.set(job.id, job.state);
      return { event, job, from };
    });
    const states = fc.uniqueArray(
      fc.constantFrom<Job_State[]>(
        Job_State.QUEUED,
        Job_State.RUNNING,
        Job_State.SUCCEEDED,
        Job_State.FAILED,
        Job_State.CANCELLED,
      ),
    );
    await fc.assert(
      fc.asyncProperty(fc.nat(events.length - 1), states, fc.nat(3), async (place, wanted, label) => {
        const labels: Record<string, string> = label === 0 ? {} : { third: String(label - 1) };
        const expected = changes
          .slice(place)
          .filter(({ job, from }) => {
            const inState = wanted.includes(job.state) || (from !== undefined && wanted.includes(from));
            const labelled = label === 0 || job.spec?.labels["third"] === labels["third"];
            return labelled && (wanted.length === 0 || inState);
          })
          .map(({ event }) => event.eventId);
        const marker = expected.at(-1);
        if (marker === undefined) return;
        const afterEventId = events[place]?.eventId ?? "";
        const request = { afterEventId, states: wanted, labels };
        const received = await read(system.stream(tenant, request), ({ eventId }) => eventId === marker);
        assert.deepEqual(
          received.map(({ eventId }) => eventId),
          expected,
        );
      }),
      { numRuns: 40 },
    );
  });

  test("resumed after an unknown event or one of another installation start with a snapshot", async () => {
    const tenant = "foreign";
    const { job } = await system.submit(tenant);
    const isEnd = ({ kind }: StreamJobsResponse) => kind === Kind.SNAPSHOT_END;
    const [, end] = await read(system.stream(tenant), isEnd);
    const foreign = Buffer.from(end?.eventId ?? "", "base64url")
      .toString()
      .replace(/^.{8}/, "00000000");
    for (const afterEventId of ["1", "AAAA", Buffer.from(foreign).toString("base64url")]) {
      const received = await read(system.stream(tenant, { afterEventId }), isEnd);
      assert.deepEqual(
        received.map((response) => response.job?.id),
        [job.id, undefined],
      );
    }
    for (const afterEventId of ["x".repeat(201), "a b", "\u0000"]) {
      await refused(read(system.stream(tenant, { afterEventId }), isEnd), "INVALID_REQUEST");
    }
  });

  test("report jobs that were deleted after their retention", async () => {
    const tenant = "deleted";
    const { job } = await system.submit(tenant);
    await system.cancel(tenant, job.id);
    const stream = system.stream(tenant, { ids: [job.id] })[Symbol.asyncIterator]();
    await stream.next();
    await stream.next();
    const deleted = stream.next();
    // Includes jobs that ended at this very moment of the store's clock.
    while ((await system.store.deleteEnded(-1, 100)) > 0);
    const response = (await deleted).value as StreamJobsResponse;
    assert.deepEqual(
      [response.kind, response.job?.id, response.job?.state],
      [Kind.DELETED, job.id, Job_State.STATE_UNSPECIFIED],
    );
    await stream.return?.();
  });

  test("that are not read hold few jobs at a time, and deliver all of them when read", async (context) => {
    const tenant = "unread";
    const labels = Object.fromEntries(Array.from({ length: 32 }, (_, n) => [`l${n}`, "x".repeat(250)]));
    const ids: string[] = [];
    for (let index = 0; index < 40; index++) {
      ids.push((await system.submit(tenant, { labels })).job.id);
      await nextMoment(system.store);
    }
    const reads: number[] = [];
    const snapshot: Store["snapshot"] = async (...given) => {
      const page = await system.store.snapshot(...given);
      reads.push(page.reduce((chars, { job }) => chars + job.spec.length, 0));
      return page;
    };
    const source = {
      store: wrapped(system.store, { snapshot }),
      eventBuffer: new EventBuffer(system.store, LOG),
    };
    context.after(async () => source.eventBuffer.stop());
    source.eventBuffer.start();
    const stream = new JobStream(source, tenant, {}, create(StreamJobsRequestSchema)).run(
      new AbortController().signal,
    );
    const first = await stream.next();
    assert.equal(reads.length, 1);
    const received = [first.value?.job?.id];
    for (let next = await stream.next(); next.value?.job !== undefined; next = await stream.next())
      received.push(next.value.job.id);
    assert.deepEqual(received, ids.toReversed());
    assert.ok(
      reads.length > 2 && Math.max(...reads) < 150_000,
      `read ${reads.join(", ")} characters at a time`,
    );
    await stream.return(undefined);
  });

  test("that are read too slowly are closed, and can be resumed without a gap", async () => {
    const tenant = "slow";
    const eventBuffer = new EventBuffer(system.store, LOG);
    eventBuffer.start();
    const source = { store: system.store, eventBuffer };
    const open = (afterEventId: string) =>
      new JobStream(source, tenant, {}, create(StreamJobsRequestSchema, { afterEventId })).run(
        new AbortController().signal,
      );
    const slow = open("");
    await slow.next();
    // The feed has started and keeps events from now on.
    await eventBuffer.catchUp();
    // The first event comes from the store, the second from the feed; the others are not read.
    for (let count = 0; count < 2; count++) {
      const { id } = (await system.submit(tenant)).job;
      await eventBuffer.catchUp();
      assert.equal((await slow.next()).value?.job?.id, id);
    }
    const jobs = Array.from({ length: 4_200 }, () => newJob());
    await system.store.insertJobs(tenant, jobs);
    await eventBuffer.catchUp();
    const failure = await slow.next().then(
      () => assert.fail("not closed"),
      (thrown: unknown) => thrown,
    );
    assert.ok(failure instanceof Failure);
    assert.equal(failure.code, "STREAM_TOO_SLOW");
    const resumed = open(String(failure.found?.["afterEventId"]));
    const rest = new Set(jobs.map(({ id }) => id));
    while (rest.size > 0) assert.ok(rest.delete((await resumed.next()).value?.job?.id ?? ""));
    await resumed.return(undefined);
    await eventBuffer.stop();
  });

  test("keep as many events as fit by number and size, and always the newest", async () => {
    const tenant = "large";
    const eventBuffer = new EventBuffer(system.store, LOG);
    eventBuffer.start();
    const leave = eventBuffer.listen(() => {});
    await eventBuffer.catchUp();
    const kept: number[] = [];
    // Millions of characters; empty positions count as kept.
    for (const size of [0, 0, 6, 6, 6, 17, 0]) {
      const spec = `{"reference": "/${"x".repeat(size * 1_000_000)}", "distorted": "/b.mp4"}`;
      await system.store.insertJobs(tenant, [newJob({ spec })]);
      await eventBuffer.catchUp();
      kept.push(eventBuffer.head - eventBuffer.tail);
    }
    assert.deepEqual(kept, [4096, 4096, 4096, 4096, 2, 1, 1]);
    leave();
    await eventBuffer.stop();
  });

  test("and waits read again when the feed restarts, to find what it missed", async () => {
    const eventBuffer = new EventBuffer(system.store, LOG);
    eventBuffer.start();
    await new Promise<void>((resolve) => eventBuffer.listenToJob("of any job", resolve));
    await eventBuffer.stop();
  });

  test("are limited in number per tenant", async () => {
    const tenant = "many";
    const ends = new AbortController();
    const streams = Array.from({ length: 100 }, () =>
      system.stream(tenant, {}, ends.signal)[Symbol.asyncIterator](),
    );
    await Promise.all(streams.map((stream) => stream.next()));
    assert.equal(await system.metric("svc_streams"), 100);
    await refused(
      read(system.stream(tenant), () => true),
      "TOO_MANY_STREAMS",
    );
    await system.submit("another tenant");
    assert.equal((await read(system.stream("another tenant"), () => true)).length, 1);
    const rest = Promise.all(streams.map((stream) => stream.next()));
    ends.abort();
    assert.ok((await rest).every(({ done }) => done === true));
    assert.equal(await system.metric("svc_streams"), 0);
    assert.equal((await read(system.stream(tenant), () => true))[0]?.kind, Kind.SNAPSHOT_END);
  });
});
