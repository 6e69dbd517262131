/** A service is replaced step by step while clients use it; a client that retries once notices nothing. */
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { MediaDirectory } from "../media/directory.ts";
import { until } from "../waiting.ts";
import { Auditor } from "./audit.ts";
import { Callers, type Patience } from "./callers.ts";
import { EventSource } from "./event-source.ts";
import { Kinds } from "./kinds.ts";
import { makeMedia } from "./media.ts";
import { Service } from "./service.ts";
import { type ChaosStore, openChaosStore } from "./stores.ts";
import { Watcher } from "./watcher.ts";

/** Milliseconds before a retry while the database is down. */
const RETRY_MS = 100;

describe("two controllers and three nodes on one PostgreSQL, behind a Service", () => {
  let folder: string;
  let media: MediaDirectory;
  let store: ChaosStore;
  let service: Service;
  let watcher: Watcher;
  let events: EventSource;
  let kinds: Kinds;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "svc-rolling-"));
    media = await MediaDirectory.open();
    const clips = await makeMedia(media);
    store = await openChaosStore("postgres", folder);
    service = await Service.start(folder, store);
    watcher = new Watcher(service.grpc);
    events = new EventSource(service.rest);
    await Promise.all([watcher.start(), events.start()]);
    kinds = new Kinds(clips, watcher);
  });
  after(async () => {
    await Promise.all([watcher.stop(), events.stop()]);
    await service[Symbol.asyncDispose]();
    await store.close();
    await media.remove();
    await rm(folder, { recursive: true });
  });

  /** Lets clients call during an action, until every job has ended. */
  async function underLoad(patience: Patience, work: (callers: Callers) => Promise<void>): Promise<Callers> {
    const callers = new Callers(service);
    const enough = new AbortController();
    const calling = callers.run(kinds.all, patience, enough.signal);
    try {
      await Promise.race([work(callers), calling]);
    } finally {
      enough.abort();
      await calling;
    }
    await until(
      () => kinds.unsettled.length === 0,
      () => `${kinds.unsettled.length} jobs to end, and their stills to come: ${service.logs()}`,
    );
    for (const { name } of kinds.all)
      assert.ok((callers.answered.get(name) ?? 0) > 0, `no response: ${name}`);
    return callers;
  }

  test("a rolling restart of controllers and nodes costs clients at most one retry", async () => {
    const { lost } = await underLoad({ retries: 1, pause: async () => {} }, async (callers) => {
      await service.rollControllers(() => until(() => callers.isCalm, "retried calls to be answered"));
      await service.rollNodes();
    });
    assert.deepEqual(lost, [], service.logs());
    await until(() => watcher.resumed > 0 && events.resumed > 0, "both streams to be resumed");
    // No task that a node had started was started again.
    const items = service.lines("task started").map(({ itemId }) => itemId);
    assert.deepEqual(items, [...new Set(items)], service.logs());
  });

  test("a killed controller costs clients at most one retry", async () => {
    const patience = { retries: 1, pause: () => service.sound };
    const { lost } = await underLoad(patience, () => service.killController());
    assert.deepEqual(lost, [], service.logs());
  });

  test("a restart of PostgreSQL is bridged by retries", async () => {
    const { database } = store;
    assert.ok(database);
    const patience = { retries: Number.POSITIVE_INFINITY, pause: () => delay(RETRY_MS) };
    const { failed } = await underLoad(patience, async (callers) => {
      const isRefused = (kind: string) =>
        callers.failed.some((failure) => failure.startsWith(`${kind}: STORE_UNAVAILABLE`));
      const refused = () => isRefused("list over REST") && isRefused("list over gRPC");
      await database.restart(() => until(refused, "calls to be refused over both protocols"));
    });
    assert.deepEqual(
      failed.filter((failure) => !failure.includes("STORE_UNAVAILABLE")),
      [],
    );
  });

  test("finally every job has one result with exact scores, and both streams delivered each change once", async () => {
    const auditor = new Auditor(service.grpc);
    const { faults } = await auditor.audit(kinds.acknowledged, watcher.events);
    auditor.close();
    assert.deepEqual(faults, []);
    const ids = watcher.events.map(({ eventId }) => eventId).filter((id) => id !== "");
    await until(() => events.ids.length >= ids.length, "the events over REST");
    assert.deepEqual(events.ids, ids);
    assert.deepEqual([watcher.snapshots, events.snapshots], [1, 1]);
    await service.stop();
    assert.deepEqual(service.faults, []);
  });
});
