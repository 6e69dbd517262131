/** The part of the store that gives out tasks, records reports of them, and ends their jobs. */
import { isId } from "../../jobs/ids.ts";
import { STILLS_CLASS } from "../../jobs/work.ts";
import { Batcher } from "../connection/batcher.ts";
import { bound } from "../connection/bound.ts";
import type { Database } from "../connection/database.ts";
import type { Claim, ClaimedWork, Fence } from "../contract/task-records.ts";
import type { WorkStore } from "../contract/task-store.ts";
import type { ClaimCursors } from "../effects/claim-cursors.ts";
import { changing, type Effects } from "../effects/effects.ts";
import { refusalOf } from "../selection/lease-state.ts";
import { recordStill } from "../stills/reports.ts";
import { type ClaimWithin, claim, claimWithin, ready } from "./claim.ts";
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

export function workStore(database: Database, cursors: ClaimCursors, effects: Effects): WorkStore {
  return {
    ...claims(database, cursors, effects),
    ...reports(database, effects),
    ...endings(database, effects),
  };
}

type Claims = Pick<WorkStore, "claim" | "claimWithin" | "running" | "ready" | "waiting" | "inWork">;

function claims(database: Database, cursors: ClaimCursors, effects: Effects): Claims {
  const unlimited = new Batcher(
    async (_: string, wanted: readonly Claim[]) => claim(database.sender("fleet"), cursors, wanted),
    ({ workClasses }) => 1024 * workClasses.length,
  );
  const limited = new Batcher(
    async (_: string, wanted: readonly ClaimWithin[]) => claimWithin(database, cursors, wanted),
    ({ claim: { workClasses } }) => 1024 * workClasses.length,
  );
  // A job whose plan is claimed is RUNNING now.
  const claimed = (work: ClaimedWork | undefined) => effects.publish({ jobs: work?.kind === "PLAN" });
  return {
    ...bound(database, { ready, waiting, inWork }),
    async claim(wanted) {
      const work = await unlimited.call(keyOf(wanted), wanted);
      claimed(work);
      return work;
    },
    async claimWithin(wanted, mostRunning) {
      const outcome = await limited.call(`${mostRunning} ${keyOf(wanted)}`, { claim: wanted, mostRunning });
      claimed(outcome.work);
      return outcome;
    },
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

function reports(database: Database, effects: Effects): Reports {
  const change = changing(database, effects);
  const segments = new Batcher(
    async (_: string, scored: readonly SegmentReport[]) => recordSegments(database, scored),
    ({ segment }) => segment.last.rows.length,
  );
  const leases = new Batcher(
    async (_: string, fences: readonly Fence[]) => areScoring(database, fences),
    () => 128,
  );
  return {
    ...bound(database, { recordChunk }),
    async checkScoringLease(fence) {
      const isScoring = isId(fence.itemId) && (await leases.call("", fence));
      return isScoring ? undefined : (await refusalOf(database, fence)).recorded;
    },
    async recordPlan(fence, plan) {
      const { recorded, tenant } = await recordPlan(database, fence, plan);
      const { workClass } = plan;
      const ready = tenant === undefined ? undefined : { tenant, workClass };
      effects.publish({ jobs: true, ready: [ready], released: [tenant] });
      return { recorded, tenant };
    },
    async recordSegment(fence, segment) {
      if (!isId(fence.itemId)) return { recorded: "STALE", poolable: undefined, tenant: undefined };
      const outcome = await segments.call("", { fence, segment });
      effects.publish({ jobs: true, released: [outcome.tenant] });
      return outcome;
    },
    recordStill: change(recordStill, ({ tenant }, _, __, last) =>
      last ? { jobs: true, released: [tenant] } : {},
    ),
    recordFailure: change(recordFailure, ({ tenant, nodes }) => ({ jobs: true, nodes, released: [tenant] })),
    recordSegmentMismatch: change(recordSegmentMismatch, ({ recorded, ready, nodes }) =>
      recorded === "STALE" ? {} : { jobs: true, ready: [ready], nodes, released: [ready?.tenant] },
    ),
    handBack: change(
      (on, fence: Fence, unheard = false) => handBack(on, fence, unheard),
      ({ ready }) => ({ jobs: true, ready: [ready], released: [ready?.tenant] }),
    ),
  };
}

function endings(database: Database, effects: Effects): Omit<WorkStore, keyof Claims | keyof Reports> {
  const change = changing(database, effects);
  const end = change(succeed, (tenant, _, __, { stills }) => ({
    jobs: tenant !== undefined,
    ready: [tenant === undefined || stills.length === 0 ? undefined : { tenant, workClass: STILLS_CLASS }],
  }));
  return {
    ...bound(database, { takePoolable, holdPoolable, beginPooling, allParts, jobsWith }),
    succeed: async (...args) => (await end(...args)) !== undefined,
    fail: change(failJob, (done) => ({ jobs: done })),
    restartWhole: change(restartWhole, (ready) => ({ jobs: true, ready: [ready] })),
    replan: change(replan, (outcome) =>
      outcome === undefined ? {} : { jobs: true, ready: [outcome.ready], nodes: outcome.nodes },
    ),
    expireLeases: change(expireLeases, ({ expired, ready, nodes }) => ({ jobs: expired > 0, ready, nodes })),
    promoteWaiting: change(promoteWaiting, (ready) => ({ ready })),
  };
}
