/** The part of the store that gives out tasks, records reports of them, and ends their jobs. */
import { isId } from "../../jobs/ids.ts";
import { STILLS_CLASS } from "../../jobs/work.ts";
import { Batcher } from "../connection/batcher.ts";
import { bound } from "../connection/bound.ts";
import type { Database } from "../connection/database.ts";
import type { Claim, Fence } from "../contract/task-records.ts";
import type { WorkStore } from "../contract/task-store.ts";
import { refusalOf } from "../selection/lease-state.ts";
import { recordStill } from "../stills/reports.ts";
import { type ClaimWithin, claim, claimWithin, ready } from "./claim.ts";
import type { ClaimCursors } from "./claim-cursors.ts";
import { failJob } from "./endings.ts";
import { areScoring } from "./leases.ts";
import { allParts } from "./parts.ts";
import { beginPooling, holdPoolable, succeed, takePoolable } from "./pooling.ts";
import { inWork, waiting } from "./queue.ts";
import { recordChunk, recordPlan } from "./reports.ts";
import { jobsWith, recordSegmentMismatch, replan, restartWhole } from "./restarts.ts";
import { expireLeases, handBack, promoteWaiting, recordFailure } from "./retries.ts";
import { recordSegments, type SegmentReport } from "./segments.ts";
import { running } from "./usage.ts";

export function workStore(database: Database, cursors: ClaimCursors): WorkStore {
  return { ...claims(database, cursors), ...reports(database, cursors), ...endings(database, cursors) };
}

type Claims = Pick<WorkStore, "claim" | "claimWithin" | "running" | "ready" | "waiting" | "inWork">;

function claims(database: Database, cursors: ClaimCursors): Claims {
  const unlimited = new Batcher(
    async (_: string, wanted: readonly Claim[]) => claim(database.sender("fleet"), cursors, wanted),
    ({ workClasses }) => 1024 * workClasses.length,
  );
  const limited = new Batcher(
    async (_: string, wanted: readonly ClaimWithin[]) => claimWithin(database, cursors, wanted),
    ({ claim: { workClasses } }) => 1024 * workClasses.length,
  );
  return {
    ...bound(database, { ready, waiting, inWork }),
    claim: async (wanted) => unlimited.call(keyOf(wanted), wanted),
    claimWithin: async (wanted, mostRunning) =>
      limited.call(`${mostRunning} ${keyOf(wanted)}`, { claim: wanted, mostRunning }),
    running: async (tenants) => running(database.sender("fleet"), tenants),
  };
}

/** Key of claims that differ only in their sessions. JSON keeps the fields of different tenants apart. */
function keyOf({ tenant, workClasses, leaseMs }: Claim): string {
  return JSON.stringify([leaseMs, tenant, ...workClasses]);
}

type Reports = Pick<
  WorkStore,
  | "checkScoringLease"
  | "recordChunk"
  | "recordPlan"
  | "recordSegment"
  | "recordFailure"
  | "recordSegmentMismatch"
  | "recordStill"
  | "handBack"
>;

function reports(database: Database, cursors: ClaimCursors): Reports {
  const segments = new Batcher(
    async (_: string, scored: readonly SegmentReport[]) => recordSegments(database, scored),
    ({ segment }) => segment.last.rows.length,
  );
  const leases = new Batcher(
    async (_: string, fences: readonly Fence[]) => areScoring(database, fences),
    () => 128,
  );
  return {
    ...bound(database, { recordChunk, recordFailure, recordStill }),
    async checkScoringLease(fence) {
      const isScoring = isId(fence.itemId) && (await leases.call("", fence));
      return isScoring ? undefined : (await refusalOf(database, fence)).recorded;
    },
    async recordPlan(fence, plan) {
      const { recorded, tenant } = await recordPlan(database, fence, plan);
      if (tenant !== undefined) cursors.readied([{ tenant, workClass: plan.workClass }]);
      return { recorded, tenant };
    },
    async recordSegment(fence, segment) {
      if (!isId(fence.itemId)) return { recorded: "STALE", poolable: undefined, tenant: undefined };
      return segments.call("", { fence, segment });
    },
    async recordSegmentMismatch(fence) {
      const outcome = await recordSegmentMismatch(database, fence);
      cursors.readied(outcome.ready ? [outcome.ready] : []);
      return outcome;
    },
    async handBack(fence, unheard = false) {
      const outcome = await handBack(database, fence, unheard);
      cursors.readied(outcome.ready ? [outcome.ready] : []);
      return outcome;
    },
  };
}

function endings(database: Database, cursors: ClaimCursors): Omit<WorkStore, keyof Claims | keyof Reports> {
  return {
    ...bound(database, { takePoolable, holdPoolable, beginPooling, allParts, fail: failJob, jobsWith }),
    async succeed(jobId, generation, outcome) {
      const tenant = await succeed(database, jobId, generation, outcome);
      cursors.readied(tenant === undefined ? [] : [{ tenant, workClass: STILLS_CLASS }]);
      return tenant !== undefined;
    },
    async restartWhole(jobId, generation) {
      const whole = await restartWhole(database, jobId, generation);
      cursors.readied(whole ? [whole] : []);
      return whole;
    },
    async replan(jobId, generation) {
      const outcome = await replan(database, jobId, generation);
      cursors.readied(outcome ? [outcome.ready] : []);
      return outcome;
    },
    async expireLeases(limit, decide) {
      const outcome = await expireLeases(database, limit, decide);
      cursors.readied(outcome.ready);
      return outcome;
    },
    promoteWaiting: async (limit) => cursors.readied(await promoteWaiting(database, limit)),
  };
}
