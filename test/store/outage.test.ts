/** Outages of PostgreSQL, and notifications between controllers through it. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { planClass } from "../../src/jobs/work.ts";
import { Failure } from "../../src/platform/failure.ts";
import type { Announcement, Store } from "../../src/store/contract/store.ts";
import { openStore } from "../../src/store/open.ts";
import { until } from "../waiting.ts";
import { assertResumes, cursorAfterRefusals } from "./crash-cursors.ts";
import { PostgresCluster } from "./postgres.ts";
import {
  fence,
  jobOutcome,
  newJob,
  newTenant,
  plannedJob,
  register,
  SILENT,
  segmentRecord,
  take,
} from "./stores.ts";

const unavailable = (thrown: unknown) => thrown instanceof Failure && thrown.code === "STORE_UNAVAILABLE";

/** Payloads that a store never sends. */
const STRANGE = [
  "",
  "x",
  "{}",
  '{"kind":"work"}',
  "null",
  `${"x".repeat(36)}null`,
  `${"x".repeat(36)}{"kind":"work","ready":7}`,
  ...["7", "null", "{}", '{"tenant":"t"}', '{"tenant":"t","workClass":7}', '{"tenant":"t","workClass":"x"}']
    .concat('{"tenant":"t","workClass":"{}"}', '{"tenant":"t","workClass":"[\\"plan\\",7]"}')
    .map((ready) => `${"x".repeat(36)}{"kind":"work","ready":[${ready}]}`),
  `${"x".repeat(36)}{"kind":"news","nodeIds":[7]}`,
];

describe("a store on PostgreSQL", () => {
  let cluster: PostgresCluster;
  let databaseUrl: string;
  let one: Store;
  let other: Store;

  before(async () => {
    // A crash loses what no commit waits for, rather than what was not written within 200 ms.
    cluster = await PostgresCluster.start({ durable: true, settings: { wal_writer_delay: "10s" } });
    databaseUrl = await cluster.createDatabase("svc");
    one = await openStore({ databaseUrl }, SILENT);
    other = await openStore({ databaseUrl }, SILENT);
  });
  after(async () => {
    await one.close();
    await other.close();
    await cluster[Symbol.asyncDispose]();
  });

  /** Waits for the first matching notification that a store receives from now on. */
  const received = (store: Store, fits: (announcement: Announcement) => boolean): Promise<Announcement> => {
    const { promise, resolve } = Promise.withResolvers<Announcement>();
    const stop = store.onAnnouncement((announcement) => {
      if (!fits(announcement)) return;
      stop();
      resolve(announcement);
    });
    return promise;
  };

  /**
   * Runs a round of notifications between the stores, and repeats it if one of them reconnects. A machine that stalls
   * for longer than the response timeout loses the connection and the notifications sent meanwhile.
   */
  const undisturbed = (round: (receive: typeof received) => Promise<void>): Promise<void> =>
    until(async () => {
      let calm = true;
      const reconnected = Promise.withResolvers<never>();
      reconnected.promise.catch(() => {});
      // Here only a reconnect announces revocations.
      const stops = [one, other].map((store) =>
        store.onAnnouncement(({ kind }) => {
          if (kind !== "revocations") return;
          calm = false;
          reconnected.reject(new Error("a store reconnected"));
        }),
      );
      try {
        await round((store, fits) => {
          const receiving = Promise.race([received(store, fits), reconnected.promise]);
          // It may reject before it is awaited.
          receiving.catch(() => {});
          return receiving;
        });
      } catch (error) {
        if (calm) throw error;
      } finally {
        for (const stop of stops) stop();
      }
      return calm;
    }, "a round in which both stores keep their connections");

  test("delivers a notification to this process at once and to the others soon, once each", () =>
    undisturbed(async (receive) => {
      const tenant = `${newTenant()} ü`;
      const node = await register(one, tenant);
      const job = newJob({ workClass: planClass(["w"]) });
      const seen: Announcement[] = [];
      const stop = one.onAnnouncement((announcement) => seen.push(announcement));
      try {
        const there = receive(other, ({ kind }) => kind === "work");
        const news = receive(other, ({ kind }) => kind === "news");
        await one.insertJobs(tenant, [job]);
        await one.drainNode(tenant, node.id);
        assert.deepEqual(
          seen.map(({ kind }) => kind),
          ["events", "work", "news"],
        );
        assert.deepEqual(await there, { kind: "work", ready: [{ tenant, workClass: job.workClass }] });
        assert.deepEqual(await news, { kind: "news", nodeIds: [node.id] });
        const back = receive(one, ({ kind }) => kind === "events");
        await other.cancelJob(tenant, job.id);
        await back;
        assert.equal(seen.length, 4, "no store receives its own notification twice");
      } finally {
        stop();
      }
    }));

  test("ignores foreign payloads on the channel", async () => {
    await undisturbed(async (receive) => {
      const all: Announcement[] = [];
      const stop = other.onAnnouncement((announcement) => all.push(announcement));
      try {
        const there = receive(other, ({ kind }) => kind === "events");
        for (const payload of STRANGE) {
          await cluster.admin(`select pg_notify('svc_announcements', '${payload}')`, "svc");
        }
        await one.insertJobs(newTenant(), [newJob()]);
        await there;
        assert.deepEqual(all, [{ kind: "events" }]);
      } finally {
        stop();
      }
    });
    await one.ping();
    await other.ping();
  });

  test("reopens terminated connections, including the listener's", async () => {
    await Promise.all(Array.from({ length: 20 }, async () => one.ping()));
    const again = received(one, ({ kind }) => kind === "events");
    await cluster.admin(
      "select pg_terminate_backend(pid, 60000) from pg_stat_activity where application_name = 'svc'",
    );
    await again;
    await settled(one);
    await settled(other);
    await other.ping();
  });

  test("calls fail fast with STORE_UNAVAILABLE while the server is down, and succeed afterwards", async () => {
    const tenant = newTenant();
    const node = await register(one, tenant);
    const job = await plannedJob(one, node, 1);
    const work = await take(one, node);
    const cursor = await one.eventCursor();
    await cluster.stop("SIGQUIT");
    await assert.rejects(one.ping(), unavailable);
    await assert.rejects(one.insertJobs(tenant, [newJob()]), unavailable);
    await assert.rejects(other.eventsAfter(cursor, 10), unavailable);
    await assert.rejects(openStore({ databaseUrl }, SILENT), unavailable);
    const again = received(one, ({ kind }) => kind === "work");
    await cluster.run();
    await again;
    await settled(one);
    await settled(other);
    assert.equal((await other.recordSegment(fence(node, work), segmentRecord())).recorded, "RECORDED");
    assert.equal(await other.succeed(job.id, 1, jobOutcome({ frameCount: 100 })), true);
    const states = async () =>
      (await one.eventsAfter(cursor, 100))?.events.map(({ job: { state } }) => state);
    // The stores' own NOTIFY may still run: events after it become readable when it ends.
    await until(async () => (await states())?.includes("SUCCEEDED") ?? false, "the job's last event");
    assert.deepEqual(await states(), ["RUNNING", "SUCCEEDED"]);
  });

  test("keeps an acknowledged job after a crash of the server", async () => {
    const tenant = newTenant();
    const given = Array.from({ length: 5 }, () => newJob());
    for (const job of given) await one.insertJobs(tenant, [job]);
    await cluster.stop("SIGKILL");
    await cluster.run();
    await settled(one);
    const found = await one.listJobs(tenant, {}, undefined, 10);
    assert.deepEqual(
      found.map(({ id }) => id).toReversed(),
      given.map(({ id }) => id),
    );
  });

  test("resumes from before a crash of the server without missing an event", async () => {
    const { tenant, cursor } = await cursorAfterRefusals(one);
    await cluster.stop("SIGKILL");
    await cluster.run();
    await settled(one);
    await assertResumes(one, tenant, cursor);
  });

  test("closes a store while it reopens its connections", async () => {
    const closing = await openStore({ databaseUrl }, SILENT);
    for (let round = 0; round < 3; round++) {
      await cluster.admin(
        "select pg_terminate_backend(pid, 60000) from pg_stat_activity where application_name = 'svc'",
      );
    }
    await closing.close();
    const stores = await Promise.all([1, 2, 3].map(async () => openStore({ databaseUrl }, SILENT)));
    await cluster.stop("SIGQUIT");
    await cluster.run();
    await Promise.all(stores.map(async (store) => store.close()));
    await settled(one);
    await settled(other);
  });

  test("reports the reason if a database refuses connections, privileges or writes", async () => {
    const unavailableFor = (pattern: RegExp) => (thrown: unknown) =>
      unavailable(thrown) && pattern.test((thrown as Failure).message);
    const url = await cluster.createDatabase("strict");
    await assert.rejects(
      openStore({ databaseUrl: cluster.url("absent") }, SILENT),
      unavailableFor(/"absent" does not exist/),
    );
    const stranger = cluster.url("strict", "stranger");
    await assert.rejects(
      openStore({ databaseUrl: stranger }, SILENT),
      unavailableFor(/"stranger" does not exist/),
    );
    const store = await openStore({ databaseUrl: url }, SILENT);
    await cluster.admin("revoke select on svc.work from svc_fleet", "strict");
    await assert.rejects(store.ready(), unavailableFor(/permission denied for table work.*administrator/));
    await cluster.admin("alter database strict set default_transaction_read_only = on");
    await cluster.admin(
      "select pg_terminate_backend(pid, 60000) from pg_stat_activity where datname = 'strict'",
    );
    await settled(store);
    await assert.rejects(store.insertJobs("t", [newJob()]), unavailableFor(/read-only/));
    await cluster.admin("alter database strict reset default_transaction_read_only");
    await store.insertJobs("t", [newJob()]);
    await store.close();
  });

  test("a closed store refuses calls", async () => {
    const closed = await openStore({ databaseUrl }, SILENT);
    await closed.close();
    await closed.close();
    await assert.rejects(closed.ping(), unavailable);
  });
});

/** Waits until a store works. Connections that broke while idle can each fail one statement first. */
async function settled(store: Store): Promise<void> {
  for (;;) {
    try {
      await store.ping();
      return;
    } catch (error) {
      assert.ok(unavailable(error));
    }
  }
}
