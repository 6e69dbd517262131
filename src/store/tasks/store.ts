/** The part of the store that hands out tasks, records their reports, and ends their jobs. */
import { isId } from "../../jobs/ids.ts";
import { recordClip } from "../clips/reports.ts";
import { Batcher } from "../connection/batcher.ts";
import { bound } from "../connection/bound.ts";
import type { Database } from "../connection/database.ts";
import type { Claim, ClaimedWork, Fence, SegmentRecord } from "../contract/task-records.ts";
import type { WorkStore } from "../contract/task-store.ts";
import type { ClaimCursors } from "../effects/claim-cursors.ts";
import { changing, type Effects, type Published } from "../effects/effects.ts";
import { refusalOf } from "../selection/lease-state.ts";
import { recordStill } from "../stills/reports.ts";
import { type ClaimWithin, claim, claimWithin, ready } from "./claim.ts";
import { failJob } from "./endings.ts";
import { areScoring } from "./leases.ts";
import { allParts } from "./parts.ts";
import { recordPlan } from "./plans.ts";
import { beginPooling, holdPoolable, succeed, takePoolable } from "./pooling.ts";
import { inWork, waiting } from "./queue.ts";
import { leasedSpec, recordChunk, recordDiagnosis } from "./reports.ts";
import { jobsWith, recordSegmentMismatch, replan, restartWhole } from "./restarts.ts";
import { expireLeases, handBack, promoteWaiting, recordFailure } from "./retries.ts";
import { extend, sampleUnits } from "./samples.ts";
import { recordSegments, type SegmentReport } from "./segments.ts";
import { recordTitle } from "./titles.ts";
import { running } from "./usage.ts";

export function workStore(database: Database, cursors: ClaimCursors, effects: Effects): Published<WorkStore> {
  return {
    ...claims(database, cursors, effects),
    ...reports(database, effects),
    ...endings(database, effects),
  };
}

type Claims = Pick<
  Published<WorkStore>,
  "claim" | "claimWithin" | "running" | "ready" | "waiting" | "inWork"
>;

function claims(database: Database, cursors: ClaimCursors, effects: Effects): Claims {
  const unlimited = new Batcher(
    async (_: string, wanted: readonly Claim[]) => claim(database.sender("fleet"), cursors, wanted),
    ({ workClasses }) => 1024 * workClasses.length,
  );
  const limited = new Batcher(
    async (_: string, wanted: readonly ClaimWithin[]) => claimWithin(database, cursors, wanted),
    ({ claim: { workClasses } }) => 1024 * workClasses.length,
  );
  const { change } = changing(database, effects);
  const effectOf = (work: ClaimedWork | undefined) => ({ jobs: work?.startsJob });
  return {
    ...bound(database, { ready, waiting, inWork }),
    claim: change(
      async (_, wanted: Claim) => unlimited.call(keyOf(wanted), wanted),
      (work) => effectOf(work),
    ),
    claimWithin: change(
      async (_, wanted: Claim, mostRunning: number) =>
        limited.call(`${mostRunning} ${keyOf(wanted)}`, { claim: wanted, mostRunning }),
      ({ work }) => effectOf(work),
    ),
    running: async (tenants) => running(database.sender("fleet"), tenants),
  };
}

/** Key of claims that differ only in their sessions. JSON keeps the fields of different tenants apart. */
function keyOf({ tenant, workClasses, leaseMs }: Claim): string {
  return JSON.stringify([leaseMs, tenant, ...workClasses]);
}

type Reports = Pick<
  Published<WorkStore>,
  | "checkScoringLease"
  | "recordChunk"
  | "recordPlan"
  | "leasedSpec"
  | "recordDiagnosis"
  | "recordTitle"
  | "recordSegment"
  | "recordFailure"
  | "recordSegmentMismatch"
  | "recordStill"
  | "recordClip"
  | "handBack"
>;

/** The response to a report whose task cannot exist. */
const STALE = { recorded: "STALE", poolable: undefined, tenant: undefined } as const;

function reports(database: Database, effects: Effects): Reports {
  const { change } = changing(database, effects);
  const segments = new Batcher(
    async (_: string, scored: readonly SegmentReport[]) => recordSegments(database, scored),
    ({ segment }) => segment.last.rows.length,
  );
  const leases = new Batcher(
    async (_: string, fences: readonly Fence[]) => areScoring(database, fences),
    () => 128,
  );
  return {
    ...bound(database, { recordChunk, leasedSpec }),
    async checkScoringLease(fence) {
      const isScoring = isId(fence.itemId) && (await leases.call("", fence));
      return isScoring ? undefined : (await refusalOf(database, fence)).recorded;
    },
    recordPlan: change(recordPlan, ({ recorded, tenant }, _, { workClass }) =>
      recorded === "STALE" || tenant === undefined
        ? {}
        : { jobs: true, ready: [{ tenant, workClass }], released: [tenant] },
    ),
    recordDiagnosis: change(recordDiagnosis, ({ recorded, tenant }) => ({
      ...{ jobs: recorded !== "STALE", released: [tenant] },
    })),
    recordTitle: change(recordTitle, ({ recorded, tenant }, _, { workClass }) =>
      recorded === "STALE" || tenant === undefined
        ? {}
        : { jobs: true, ready: [{ tenant, workClass }], released: [tenant] },
    ),
    recordSegment: change(
      async (_, fence: Fence, segment: SegmentRecord) =>
        isId(fence.itemId) ? segments.call("", { fence, segment }) : STALE,
      ({ recorded, tenant }) => ({ jobs: recorded !== "STALE", released: [tenant] }),
    ),
    recordStill: change(recordStill, ({ recorded, tenant }, _, __, last) =>
      last ? { jobs: recorded !== "STALE", released: [tenant] } : {},
    ),
    recordClip: change(recordClip, ({ recorded, tenant }, _, __, { last }) =>
      last ? { jobs: recorded !== "STALE", released: [tenant] } : {},
    ),
    recordFailure: change(recordFailure, ({ recorded, tenant, nodes }) => ({
      ...{ jobs: recorded !== "STALE", nodes, released: [tenant] },
    })),
    recordSegmentMismatch: change(recordSegmentMismatch, ({ recorded, ready, nodes }) => ({
      ...{ jobs: recorded !== "STALE", ready: [ready], nodes, released: [ready?.tenant] },
    })),
    handBack: change(
      (on, fence: Fence, unheard = false) => handBack(on, fence, unheard),
      ({ recorded, ready }) => ({ jobs: recorded !== "STALE", ready: [ready], released: [ready?.tenant] }),
    ),
  };
}

type Endings = Omit<Published<WorkStore>, keyof Claims | keyof Reports>;

function endings(database: Database, effects: Effects): Endings {
  const { change, answering } = changing(database, effects);
  return {
    ...bound(database, { takePoolable, holdPoolable, beginPooling, allParts, sampleUnits, jobsWith }),
    succeed: answering(
      succeed,
      (shown, _, __, { stills }) => ({
        ...{ jobs: shown !== undefined, ready: stills.length === 0 ? [] : [shown] },
      }),
      (shown) => shown !== undefined,
    ),
    extend: answering(
      extend,
      (ready) => ({ jobs: ready !== undefined, ready: [ready] }),
      (ready) => ready !== undefined,
    ),
    fail: change(failJob, (done) => ({ jobs: done })),
    restartWhole: change(restartWhole, (ready) => ({ jobs: ready !== undefined, ready: [ready] })),
    replan: change(replan, (outcome) =>
      outcome === undefined ? {} : { jobs: true, ready: [outcome.ready], nodes: outcome.nodes },
    ),
    expireLeases: change(expireLeases, ({ expired, ready, nodes }) => ({ jobs: expired > 0, ready, nodes })),
    promoteWaiting: change(promoteWaiting, (ready) => ({ ready })),
  };
}
