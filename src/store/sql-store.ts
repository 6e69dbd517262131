/** The SQL implementation of the store; its methods delegate to one file per topic. */
import type { AuditRecord } from "../audit/record.ts";
import { isId } from "../jobs/ids.ts";
import type { RetryDecision } from "../jobs/retry.ts";
import { STILLS_CLASS } from "../jobs/work.ts";
import { deleteAudit, insertAudit, listAudit } from "./audit/audit.ts";
import { Batcher } from "./connection/batcher.ts";
import type { Database } from "./connection/database.ts";
import { statement } from "./connection/statement.ts";
import type { AuditCursor, AuditFilter } from "./contract/audit-records.ts";
import type {
  JobCursor,
  JobFilter,
  JobSort,
  NewJob,
  Relabelled,
  StoredError,
} from "./contract/job-records.ts";
import type { NewNode, NodeRoom, RunningWork } from "./contract/node-records.ts";
import type { RevocationStore } from "./contract/revocation-store.ts";
import type { StillImage, StillSide } from "./contract/still-records.ts";
import type { Announcement, Store } from "./contract/store.ts";
import type {
  Claim,
  Fence,
  FrameChunk,
  Outcome,
  PlanRecord,
  Ready,
  SegmentRecord,
} from "./contract/task-records.ts";
import { Events } from "./events/events.ts";
import type { Announcements } from "./events/notifications.ts";
import { cancelSome, deleteJob, deleteSome } from "./jobs/bulk.ts";
import { getJob, insertEach, insertJobs, jobDetail, knownKeys, tenantOf } from "./jobs/jobs.ts";
import { relabelJob } from "./jobs/labels.ts";
import { deleteEnded, deleteEvents } from "./jobs/retention.ts";
import { renew, requeueForgotten } from "./nodes/heartbeat.ts";
import {
  capabilitiesOf,
  drainNode,
  expireNodes,
  leaveNode,
  listNodes,
  nodeOf,
  registerNode,
} from "./nodes/nodes.ts";
import { SqlRevocations } from "./revocations/revocations.ts";
import { classKey } from "./schema/rows.ts";
import { countJobs, listJobs } from "./selection/job-lists.ts";
import { refusalOf } from "./selection/lease-state.ts";
import { deleteStill } from "./stills/deletion.ts";
import { recordStill } from "./stills/reports.ts";
import { getStill, listStills, requestStills } from "./stills/stills.ts";
import { type ClaimWithin, claim, claimWithin, ready } from "./tasks/claim.ts";
import { ClaimCursors } from "./tasks/claim-cursors.ts";
import { cancelJob, failJob } from "./tasks/endings.ts";
import { areScoring } from "./tasks/leases.ts";
import { allParts, parts } from "./tasks/parts.ts";
import { beginPooling, holdPoolable, succeed, takePoolable } from "./tasks/pooling.ts";
import { inWork, waiting } from "./tasks/queue.ts";
import { recordChunk, recordPlan } from "./tasks/reports.ts";
import { jobsWith, recordSegmentMismatch, replan, restartWhole } from "./tasks/restarts.ts";
import { expireLeases, handBack, promoteWaiting, recordFailure } from "./tasks/retries.ts";
import { recordSegments, type SegmentReport } from "./tasks/segments.ts";
import { queued, running, usage } from "./tasks/usage.ts";

const PING = statement("select 1");
const CLOCK = statement("select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms");

/** A background activity that stops with the store. */
export interface Companion {
  stop(): Promise<void>;
}

export class SqlStore implements Store {
  readonly revocations: RevocationStore;
  readonly #database: Database;
  readonly #announcements: Announcements;
  readonly #companions: readonly Companion[];
  readonly #events: Events;
  readonly #cursors = new ClaimCursors();
  readonly #inserts = new Batcher(
    async (tenant: string, jobs: readonly NewJob[]) => insertEach(this.#database, tenant, jobs),
    ({ spec }) => spec.length,
  );
  readonly #claims = new Batcher(
    async (_: string, claims: readonly Claim[]) =>
      claim(this.#database.sender("fleet"), this.#cursors, claims),
    ({ workClasses }) => 1024 * workClasses.length,
  );
  readonly #limitedClaims = new Batcher(
    async (_: string, asked: readonly ClaimWithin[]) => claimWithin(this.#database, this.#cursors, asked),
    ({ claim: { workClasses } }) => 1024 * workClasses.length,
  );
  readonly #segments = new Batcher(
    async (_: string, reports: readonly SegmentReport[]) => recordSegments(this.#database, reports),
    ({ segment }) => segment.last.rows.length,
  );
  readonly #leases = new Batcher(
    async (_: string, fences: readonly Fence[]) => areScoring(this.#database, fences),
    () => 128,
  );

  constructor(database: Database, announcements: Announcements, companions: readonly Companion[]) {
    this.#database = database;
    this.#announcements = announcements;
    this.#companions = companions;
    this.revocations = new SqlRevocations(database);
    this.#events = new Events(database);
  }

  async ping() {
    await this.#database.query("fleet", PING, []);
  }

  async now() {
    const [row] = await this.#database.query<{ ms: number }>("fleet", CLOCK, []);
    if (row === undefined) throw new Error("the database returned no time");
    return row.ms;
  }

  async close() {
    this.#announcements.close();
    await Promise.all(this.#companions.map(async (companion) => companion.stop()));
    await this.#database.close();
  }

  async insertJobs(tenant: string, jobs: readonly NewJob[]) {
    const [alone] = jobs;
    const one = jobs.length === 1 && alone !== undefined;
    const stored = one
      ? [await this.#inserts.call(tenant, alone)]
      : await insertJobs(this.#database, tenant, jobs);
    for (const { workClass, priority } of jobs) {
      this.#cursors.lowerToRank(tenant, classKey(workClass), -priority);
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

  async listJobs(
    tenant: string,
    filter: JobFilter,
    after: JobCursor | undefined,
    limit: number,
    sort: JobSort = "NEWEST",
  ) {
    return listJobs(this.#database, tenant, filter, { sort, after, limit });
  }

  async countJobs(tenant: string, filter: JobFilter) {
    return countJobs(this.#database, tenant, filter);
  }

  async relabelJob(tenant: string, id: string, relabel: (spec: string) => Relabelled | undefined) {
    return relabelJob(this.#database, tenant, id, relabel);
  }

  async cancelJob(tenant: string, id: string) {
    return cancelJob(this.#database, tenant, id);
  }

  async cancelSome(tenant: string, filter: JobFilter, after: JobCursor | undefined) {
    return cancelSome(this.#database, tenant, filter, after);
  }

  async deleteJob(tenant: string, id: string, open: boolean) {
    return deleteJob(this.#database, tenant, id, open);
  }

  async deleteSome(tenant: string, filter: JobFilter, after: JobCursor | undefined) {
    return deleteSome(this.#database, tenant, filter, after);
  }

  async parts(tenant: string, jobId: string, fromFrame: number, limit: number) {
    return parts(this.#database, tenant, jobId, fromFrame, limit);
  }

  async queued(tenant: string) {
    return queued(this.#database, tenant);
  }

  async requestStills(tenant: string, jobId: string, frames: readonly number[]) {
    const outcome = await requestStills(this.#database, tenant, jobId, frames);
    this.#lower(outcome?.ready ? [outcome.ready] : []);
    return outcome;
  }

  async deleteStill(tenant: string, jobId: string, frame: number) {
    return deleteStill(this.#database, tenant, jobId, frame);
  }

  async listStills(tenant: string, jobId: string) {
    return listStills(this.#database, tenant, jobId);
  }

  async still(tenant: string, jobId: string, frame: number, side: StillSide) {
    return getStill(this.#database, tenant, jobId, frame, side);
  }

  async recordStill(fence: Fence, still: StillImage, last: boolean) {
    return recordStill(this.#database, fence, still, last);
  }

  async usage(tenant: string) {
    return usage(this.#database, tenant);
  }

  async tenantOf(jobId: string) {
    return tenantOf(this.#database, jobId);
  }

  async claim(wanted: Claim) {
    return this.#claims.call(keyOf(wanted), wanted);
  }

  async claimWithin(wanted: Claim, mostRunning: number) {
    return this.#limitedClaims.call(`${mostRunning} ${keyOf(wanted)}`, { claim: wanted, mostRunning });
  }

  async running(tenants: readonly string[]) {
    return running(this.#database.sender("fleet"), tenants);
  }

  async ready() {
    return ready(this.#database);
  }

  async waiting(pairs: readonly (Ready & { readonly most: number })[]) {
    return waiting(this.#database, pairs);
  }

  async inWork(most: number) {
    return inWork(this.#database, most);
  }

  async checkScoringLease(fence: Fence) {
    const isScoring = isId(fence.itemId) && (await this.#leases.call("", fence));
    return isScoring ? undefined : (await refusalOf(this.#database, fence)).recorded;
  }

  async recordChunk(fence: Fence, chunk: FrameChunk) {
    return recordChunk(this.#database, fence, chunk);
  }

  async recordPlan(fence: Fence, plan: PlanRecord) {
    const { recorded, tenant } = await recordPlan(this.#database, fence, plan);
    if (tenant !== undefined) this.#lower([{ tenant, workClass: plan.workClass }]);
    return { recorded, tenant };
  }

  async recordSegment(fence: Fence, segment: SegmentRecord) {
    if (!isId(fence.itemId)) return { recorded: "STALE" as const, poolable: undefined, tenant: undefined };
    return this.#segments.call("", { fence, segment });
  }

  async recordFailure(fence: Fence, error: StoredError, decide: (failures: number) => RetryDecision) {
    return recordFailure(this.#database, fence, error, decide);
  }

  async recordSegmentMismatch(fence: Fence) {
    const outcome = await recordSegmentMismatch(this.#database, fence);
    this.#lower(outcome.ready ? [outcome.ready] : []);
    return outcome;
  }

  async handBack(fence: Fence, unheard = false) {
    const outcome = await handBack(this.#database, fence, unheard);
    this.#lower(outcome.ready ? [outcome.ready] : []);
    return outcome;
  }

  async takePoolable(limit: number, holdMs: number) {
    return takePoolable(this.#database, limit, holdMs);
  }

  async holdPoolable(jobIds: readonly string[], holdMs: number) {
    return holdPoolable(this.#database, jobIds, holdMs);
  }

  async beginPooling(jobId: string, generation: number) {
    return beginPooling(this.#database, jobId, generation);
  }

  async allParts(jobId: string, generation: number) {
    return allParts(this.#database, jobId, generation);
  }

  async succeed(jobId: string, generation: number, outcome: Outcome) {
    const tenant = await succeed(this.#database, jobId, generation, outcome);
    this.#lower(tenant === undefined ? [] : [{ tenant, workClass: STILLS_CLASS }]);
    return tenant !== undefined;
  }

  async fail(jobId: string, generation: number, error: StoredError) {
    return failJob(this.#database, jobId, generation, error);
  }

  async restartWhole(jobId: string, generation: number) {
    const whole = await restartWhole(this.#database, jobId, generation);
    this.#lower(whole ? [whole] : []);
    return whole;
  }

  async jobsWith(ready: Ready) {
    return jobsWith(this.#database, ready);
  }

  async replan(jobId: string, generation: number) {
    const outcome = await replan(this.#database, jobId, generation);
    this.#lower(outcome ? [outcome.ready] : []);
    return outcome;
  }

  async registerNode(node: NewNode, room?: NodeRoom) {
    const outcome = await registerNode(this.#database, node, room);
    this.#lower(outcome.ready);
    return outcome;
  }

  async renew(session: string, running: readonly RunningWork[], leaseMs: number, draining: boolean) {
    return renew(this.#database, session, running, leaseMs, draining);
  }

  async requeueForgotten(session: string, running: readonly Pick<RunningWork, "itemId" | "attempt">[]) {
    return this.#lower(await requeueForgotten(this.#database, session, running));
  }

  async nodeOf(session: string) {
    return nodeOf(this.#database, session);
  }

  async listNodes(tenants: readonly string[]) {
    return listNodes(this.#database, tenants);
  }

  async capabilities(tenants: readonly string[]) {
    return capabilitiesOf(this.#database, tenants);
  }

  async drainNode(tenant: string, id: string) {
    return drainNode(this.#database, tenant, id);
  }

  async leaveNode(session: string) {
    return this.#lower(await leaveNode(this.#database, session));
  }

  async eventCursor() {
    return this.#events.cursor();
  }

  async eventsAfter(cursor: string, limit: number) {
    return this.#events.after(cursor, limit);
  }

  async tenantEventsAfter(tenant: string, cursor: string, limit: number) {
    return this.#events.ofTenantAfter(tenant, cursor, limit);
  }

  async snapshot(
    tenant: string,
    filter: JobFilter,
    after: JobCursor | undefined,
    limit: number,
    cursor: string,
  ) {
    return this.#events.snapshot(tenant, filter, after, limit, cursor);
  }

  async insertAudit(records: readonly AuditRecord[]) {
    return insertAudit(this.#database, records);
  }

  async listAudit(tenant: string, filter: AuditFilter, after: AuditCursor | undefined, limit: number) {
    return listAudit(this.#database, tenant, filter, after, limit);
  }

  async expireLeases(limit: number, decide: (failures: number) => RetryDecision) {
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

  async deleteAudit(olderThanMs: number, limit: number) {
    return deleteAudit(this.#database, olderThanMs, limit);
  }

  announce(announcement: Announcement) {
    this.#announcements.announce(announcement);
  }

  onAnnouncement(listener: (announcement: Announcement) => void) {
    return this.#announcements.onAnnouncement(listener);
  }

  /** Resets the claim positions: tasks became ready that may come before the last claimed one. */
  #lower(ready: readonly Ready[]): readonly Ready[] {
    for (const { tenant, workClass } of ready) this.#cursors.lower(tenant, classKey(workClass));
    return ready;
  }
}

/** Key of claims that differ only in their sessions. JSON keeps the fields of different tenants apart. */
function keyOf({ tenant, workClasses, leaseMs }: Claim): string {
  return JSON.stringify([leaseMs, tenant, ...workClasses]);
}
