/** The store in SQL. Each topic has a file of its own; this says which method is where. */
import type { Verdict } from "../jobs/retry.ts";
import type { Announcements } from "./announcements.ts";
import { claim, ready } from "./claim.ts";
import type { Database } from "./database.ts";
import { cancelJob, failJob, recordCutFault, restartWhole } from "./endings.ts";
import { eventCursor, eventsAfter, snapshot } from "./events.ts";
import { Floors } from "./floors.ts";
import { Gathering } from "./gathering.ts";
import { renew, takeBack } from "./heartbeat.ts";
import { getJob, insertEach, insertJobs, jobDetail, knownKeys, listJobs, tenantOf } from "./jobs.ts";
import { drainNode, expireNodes, leaveNode, listNodes, nodeOf, registerNode } from "./nodes.ts";
import { allParts, parts } from "./parts.ts";
import { holdPoolable, succeed, takePoolable } from "./pooling.ts";
import { jobsWith, replan } from "./replan.ts";
import { recordPiece, recordPlan } from "./reports.ts";
import { deleteEnded, deleteEvents, now } from "./retention.ts";
import { expireLeases, handBack, promoteWaiting, recordFailure } from "./retries.ts";
import { classKey, isId } from "./rows.ts";
import { recordSegments, type SegmentReport } from "./segments.ts";
import { statement } from "./statement.ts";
import type * as S from "./store.ts";

const PING = statement("select 1");

/** What runs beside the statements and ends with the store. */
export interface Companion {
  stop(): Promise<void>;
}

export class SqlStore implements S.Store {
  readonly #database: Database;
  readonly #announcements: Announcements;
  readonly #companions: readonly Companion[];
  readonly #floors = new Floors();
  readonly #inserts = new Gathering(
    async (tenant: string, jobs: readonly S.NewJob[]) => insertEach(this.#database, tenant, jobs),
    ({ spec }) => spec.length,
  );
  readonly #claims = new Gathering(
    async (_: string, claims: readonly S.Claim[]) => claim(this.#database, this.#floors, claims),
    ({ workClasses }) => 1024 * workClasses.length,
  );
  readonly #segments = new Gathering(
    async (_: string, reports: readonly SegmentReport[]) => recordSegments(this.#database, reports),
    ({ segment }) => segment.last.rows.length,
  );

  constructor(database: Database, announcements: Announcements, companions: readonly Companion[]) {
    this.#database = database;
    this.#announcements = announcements;
    this.#companions = companions;
  }

  async ping() {
    await this.#database.query("fleet", PING, []);
  }

  async close() {
    this.#announcements.close();
    await Promise.all(this.#companions.map(async (companion) => companion.stop()));
    await this.#database.close();
  }

  async insertJobs(tenant: string, jobs: readonly S.NewJob[]) {
    const [alone] = jobs;
    const one = jobs.length === 1 && alone !== undefined;
    const stored = one
      ? [await this.#inserts.call(tenant, alone)]
      : await insertJobs(this.#database, tenant, jobs);
    for (const { workClass, priority } of jobs) {
      this.#floors.lowerToRank(tenant, classKey(workClass), -priority);
    }
    return stored;
  }

  async knownKeys(tenant: string, keys: readonly string[]) {
    return knownKeys(this.#database, tenant, keys);
  }

  async job(tenant: string, id: string) {
    return getJob(this.#database, tenant, id);
  }

  async jobDetail(tenant: string, id: string) {
    return jobDetail(this.#database, tenant, id);
  }

  async listJobs(tenant: string, filter: S.JobFilter, after: S.JobCursor | undefined, limit: number) {
    return listJobs(this.#database, tenant, filter, after, limit);
  }

  async cancelJob(tenant: string, id: string) {
    return cancelJob(this.#database, tenant, id);
  }

  async parts(tenant: string, jobId: string, fromFrame: number, limit: number) {
    return parts(this.#database, tenant, jobId, fromFrame, limit);
  }

  async tenantOf(jobId: string) {
    return tenantOf(this.#database, jobId);
  }

  async claim(wanted: S.Claim) {
    const { tenant, workClasses, leaseMs } = wanted;
    return this.#claims.call([leaseMs, tenant, ...workClasses].join(" "), wanted);
  }

  async ready() {
    return ready(this.#database);
  }

  async recordPiece(fence: S.Fence, piece: S.FramePiece) {
    return recordPiece(this.#database, fence, piece);
  }

  async recordPlan(fence: S.Fence, plan: S.PlanRecord) {
    const { recorded, tenant } = await recordPlan(this.#database, fence, plan);
    if (tenant !== undefined) this.#lower([{ tenant, workClass: plan.workClass }]);
    return { recorded, tenant };
  }

  async recordSegment(fence: S.Fence, segment: S.SegmentRecord) {
    if (!isId(fence.itemId)) return { recorded: "STALE" as const, poolable: undefined };
    return this.#segments.call("", { fence, segment });
  }

  async recordFailure(fence: S.Fence, error: S.StoredError, decide: (failures: number) => Verdict) {
    return recordFailure(this.#database, fence, error, decide);
  }

  async recordCutFault(fence: S.Fence) {
    const outcome = await recordCutFault(this.#database, fence);
    this.#lower(outcome.ready ? [outcome.ready] : []);
    return outcome;
  }

  async handBack(fence: S.Fence) {
    const outcome = await handBack(this.#database, fence);
    this.#lower(outcome.ready ? [outcome.ready] : []);
    return outcome;
  }

  async takePoolable(limit: number, holdMs: number) {
    return takePoolable(this.#database, limit, holdMs);
  }

  async holdPoolable(jobIds: readonly string[], holdMs: number) {
    return holdPoolable(this.#database, jobIds, holdMs);
  }

  async allParts(jobId: string, generation: number) {
    return allParts(this.#database, jobId, generation);
  }

  async succeed(jobId: string, generation: number, score: number, frameCount: number, result: string) {
    return succeed(this.#database, jobId, generation, { score, frameCount, result });
  }

  async fail(jobId: string, generation: number, error: S.StoredError) {
    return failJob(this.#database, jobId, generation, error);
  }

  async restartWhole(jobId: string, generation: number) {
    const whole = await restartWhole(this.#database, jobId, generation);
    this.#lower(whole ? [whole] : []);
    return whole;
  }

  async jobsWith(ready: S.Ready) {
    return jobsWith(this.#database, ready);
  }

  async replan(jobId: string, generation: number) {
    const outcome = await replan(this.#database, jobId, generation);
    this.#lower(outcome ? [outcome.ready] : []);
    return outcome;
  }

  async registerNode(node: S.NewNode) {
    const outcome = await registerNode(this.#database, node);
    this.#lower(outcome.ready);
    return outcome;
  }

  async renew(session: string, running: readonly S.RunningWork[], leaseMs: number, draining: boolean) {
    return renew(this.#database, session, running, leaseMs, draining);
  }

  async takeBack(session: string, running: readonly Pick<S.RunningWork, "itemId" | "attempt">[]) {
    return this.#lower(await takeBack(this.#database, session, running));
  }

  async nodeOf(session: string) {
    return nodeOf(this.#database, session);
  }

  async listNodes(tenant: string) {
    return listNodes(this.#database, tenant);
  }

  async drainNode(tenant: string, id: string) {
    return drainNode(this.#database, tenant, id);
  }

  async leaveNode(session: string) {
    return this.#lower(await leaveNode(this.#database, session));
  }

  async eventCursor() {
    return eventCursor(this.#database);
  }

  async eventsAfter(cursor: string, limit: number) {
    return eventsAfter(this.#database, cursor, limit);
  }

  async snapshot(
    tenant: string,
    filter: S.JobFilter,
    after: S.JobCursor | undefined,
    limit: number,
    cursor: string,
  ) {
    return snapshot(this.#database, tenant, filter, after, limit, cursor);
  }

  async expireLeases(limit: number, decide: (failures: number) => Verdict) {
    const outcome = await expireLeases(this.#database, limit, decide);
    this.#lower(outcome.ready);
    return outcome;
  }

  async promoteWaiting(limit: number) {
    return this.#lower(await promoteWaiting(this.#database, limit));
  }

  async expireNodes(silentMs: number, forgetMs: number) {
    return expireNodes(this.#database, silentMs, forgetMs);
  }

  async deleteEnded(olderThanMs: number, limit: number) {
    return deleteEnded(this.#database, olderThanMs, limit);
  }

  async deleteEvents(olderThanMs: number, limit: number) {
    return deleteEvents(this.#database, olderThanMs, limit);
  }

  async now() {
    return now(this.#database);
  }

  announce(announcement: S.Announcement) {
    this.#announcements.announce(announcement);
  }

  onAnnouncement(listener: (announcement: S.Announcement) => void) {
    return this.#announcements.onAnnouncement(listener);
  }

  /** Work became ready that may come before what was claimed last. */
  #lower(ready: readonly S.Ready[]): readonly S.Ready[] {
    for (const { tenant, workClass } of ready) this.#floors.lower(tenant, classKey(workClass));
    return ready;
  }
}
