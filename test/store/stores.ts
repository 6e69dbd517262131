/** The two stores that a suite runs on, and the objects that its tests store. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe } from "node:test";
import type { Scorer } from "../../src/jobs/work.ts";
import { openLog } from "../../src/platform/observability/log.ts";
import { Database } from "../../src/store/connection/database.ts";
import { postgresDriver } from "../../src/store/connection/postgres.ts";
import type { MediaFacts, NewJob } from "../../src/store/contract/job-records.ts";
import type { NewNode } from "../../src/store/contract/node-records.ts";
import type { Store } from "../../src/store/contract/store.ts";
import type {
  ClaimedWork,
  Fence,
  NewSegment,
  Outcome,
  ScoredPart,
  SegmentRecord,
} from "../../src/store/contract/task-records.ts";
import { embeddedDriver } from "../../src/store/embedded/database.ts";
import { Announcements } from "../../src/store/events/notifications.ts";
import type { StoreTarget } from "../../src/store/open.ts";
import { knownMigrations, migrate } from "../../src/store/schema/migrations.ts";
import { sqlStore } from "../../src/store/sql-store.ts";
import { until } from "../waiting.ts";
import { PostgresCluster } from "./postgres.ts";
import { prepareDataDir } from "./prepared.ts";

export const SILENT = openLog({ level: "silent", format: "json" });

/** Runs a suite on the embedded store and on PostgreSQL; `open` returns the store that all its tests share. */
export function onBothStores(suite: (open: () => { store: Store; target: StoreTarget }) => void): void {
  const kinds = { embedded: preparedTarget, PostgreSQL: postgresTarget };
  for (const [name, make] of Object.entries(kinds)) {
    describe(name, () => {
      let made: { target: StoreTarget; remove: () => Promise<void> } | undefined;
      let opened: { store: Store; target: StoreTarget } | undefined;
      before(async () => {
        made = await make();
        const { target } = made;
        opened = { store: await openQuietly(target), target };
      });
      after(async () => {
        await opened?.store.close();
        await made?.remove();
      });
      suite(() => {
        if (opened === undefined) throw new Error("the store is open while tests run");
        return opened;
      });
    });
  }
}

/** Opens a store that notifies nobody. Each NOTIFY is a transaction, and hides later events from readers until it ends. */
async function openQuietly(target: StoreTarget): Promise<Store> {
  const driver = "dataDir" in target ? embeddedDriver(target.dataDir) : postgresDriver(target.databaseUrl);
  const database = new Database(driver);
  await migrate(database, knownMigrations());
  return sqlStore(database, new Announcements(() => {}), []);
}

interface EmbeddedTarget {
  readonly target: { readonly dataDir: string };
  readonly remove: () => Promise<void>;
}

/** An empty data directory. */
export async function embeddedTarget(): Promise<EmbeddedTarget> {
  const dataDir = mkdtempSync(join(tmpdir(), "svc-store-"));
  return { target: { dataDir }, remove: async () => rmSync(dataDir, { recursive: true }) };
}

/** A data directory whose database has the current schema. */
export async function preparedTarget(): Promise<EmbeddedTarget> {
  const made = await embeddedTarget();
  await prepareDataDir(made.target.dataDir);
  return made;
}

/** Its own server: transactions of other databases on a server hide events from readers until they end. */
async function postgresTarget(): Promise<{
  target: { databaseUrl: string };
  remove: () => Promise<void>;
}> {
  const cluster = await PostgresCluster.start();
  const databaseUrl = await cluster.createDatabase("svc");
  return { target: { databaseUrl }, remove: async () => cluster[Symbol.asyncDispose]() };
}

/** Opens a database of either kind that has the current schema. */
const DATABASES = {
  embedded: async () => {
    const { target, remove } = await preparedTarget();
    return { database: new Database(embeddedDriver(target.dataDir)), remove };
  },
  PostgreSQL: async () => {
    const { target, remove } = await postgresTarget();
    const database = new Database(postgresDriver(target.databaseUrl));
    await migrate(database, knownMigrations());
    return { database, remove };
  },
};

/** Runs a suite on both kinds of database; `open` returns the one that its tests share, and a new store on it. */
export function onBothDatabases(suite: (open: () => { database: Database; store: Store }) => void): void {
  for (const [name, make] of Object.entries(DATABASES)) {
    describe(name, () => {
      let made: { database: Database; remove: () => Promise<void> } | undefined;
      before(async () => {
        made = await make();
      });
      after(async () => {
        await made?.database.close();
        await made?.remove();
      });
      suite(() => {
        if (made === undefined) throw new Error("the database is open while tests run");
        const { database } = made;
        return { database, store: sqlStore(database, new Announcements(() => {}), []) };
      });
    });
  }
}

export const PLAN = "plan-class";
export const SCORE = "score-class";
export const CLASSES = [PLAN, SCORE];
/** Milliseconds: longer than any test runs, even on a busy machine. */
export const LEASE_MS = 1_800_000;

/** Waits for the next millisecond of the database clock; rows of the same one (the embedded resolution) have no order. */
export async function nextMoment(store: Store): Promise<void> {
  const now = Math.floor(await store.now());
  await until(async () => Math.floor(await store.now()) > now, "the next millisecond");
}

/** Tests of one file share a store, so each uses its own tenants. */
export const newTenant = () => `tenant-${randomUUID()}`;

export function newJob(given: Partial<NewJob> = {}): NewJob {
  return {
    id: randomUUID(),
    spec: '{"reference":"/a.mp4","distorted":"/b.mp4"}',
    fingerprint: "fingerprint",
    name: "",
    labels: {},
    priority: 0,
    submittedBy: "somebody",
    idempotencyKey: undefined,
    workClass: PLAN,
    ...given,
  };
}

export function newNode(tenant: string, given: Partial<NewNode> = {}): NewNode {
  const scorer = { program: "ffmpeg", version: "7.0", libvmafVersion: "3.0.0" };
  return {
    id: randomUUID(),
    session: randomUUID(),
    tenant,
    name: `node-${randomUUID()}`,
    slots: 2,
    capabilities: { scorer, models: [{ name: "vmaf_v0.6.1", digest: "" }] },
    version: "0.1.0",
    ...given,
  };
}

/** Registers a node of a tenant. */
export async function register(store: Store, tenant: string, given: Partial<NewNode> = {}): Promise<NewNode> {
  const node = newNode(tenant, given);
  await store.registerNode(node);
  return node;
}

export async function claim(
  store: Store,
  { session, tenant }: NewNode,
  workClasses: readonly string[] = CLASSES,
  leaseMs = LEASE_MS,
): Promise<ClaimedWork | undefined> {
  return store.claim({ session, tenant, workClasses, leaseMs });
}

/** Claims a task; fails if there is none. */
export async function take(
  store: Store,
  node: NewNode,
  workClasses: readonly string[] = CLASSES,
  leaseMs = LEASE_MS,
): Promise<ClaimedWork> {
  const work = await claim(store, node, workClasses, leaseMs);
  if (work === undefined) throw new Error("no work");
  return work;
}

export const fence = ({ session }: NewNode, { id: itemId, attempt }: ClaimedWork): Fence => ({
  session,
  itemId,
  attempt,
});

export const FRAMES_EACH = 100;

export function segments(count: number, cost = 5): NewSegment[] {
  return Array.from({ length: count }, (_, n) => ({
    firstFrame: n * FRAMES_EACH,
    frameCount: FRAMES_EACH,
    segment: `segment ${n}`,
    cost,
  }));
}

/** Facts of the distorted file in the plan. */
export const MEDIA: MediaFacts = {
  ...{ codec: "h264", width: 1280, height: 720, videoBitRate: 1_234_567.5 },
  encoder: "Lavc61.3.100 libx264",
};

export async function recordPlan(store: Store, node: NewNode, work: ClaimedWork, count: number) {
  return store.recordPlan(fence(node, work), {
    plan: "the plan",
    framesTotal: count * FRAMES_EACH,
    segments: segments(count),
    workClass: SCORE,
    media: MEDIA,
  });
}

/** Stores a planned job whose segments are ready. */
export async function plannedJob(
  store: Store,
  node: NewNode,
  count: number,
  given: Partial<NewJob> = {},
): Promise<NewJob> {
  const job = newJob(given);
  await store.insertJobs(node.tenant, [job]);
  await recordPlan(store, node, await take(store, node, [PLAN]), count);
  return job;
}

export function segmentRecord(given: Partial<SegmentRecord> = {}): SegmentRecord {
  const last = { number: 0, rows: new Uint8Array([1, 2, 3]), rowCount: FRAMES_EACH };
  return { last, plan: undefined, framesTotal: undefined, findings: undefined, ...given };
}

/** The scorer of a result. */
export const SCORED_BY: Scorer = { program: "ffmpeg", version: "9.0.2", libvmafVersion: "3.2.0" };

export function jobOutcome(given: Partial<Outcome> = {}): Outcome {
  return {
    score: 1,
    frameCount: 200,
    result: "{}",
    media: MEDIA,
    scorer: SCORED_BY,
    estimate: undefined,
    stills: [],
    gates: [],
    ...given,
  };
}

/** Reads the chunks of a part as bytes. */
export async function bytesOf(part: ScoredPart | undefined): Promise<number[][]> {
  const pieces: number[][] = [];
  for await (const chunk of part?.chunks ?? []) {
    assert.ok(chunk instanceof Uint8Array, "it is in the database");
    pieces.push([...chunk]);
  }
  return pieces;
}
