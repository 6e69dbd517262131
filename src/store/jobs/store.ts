/** The part of the store that keeps jobs. */

import { getClip, getClipPiece, listClips, requestClips } from "../clips/clips.ts";
import { deleteClip } from "../clips/deletion.ts";
import { Batcher } from "../connection/batcher.ts";
import { bound } from "../connection/bound.ts";
import type { Database } from "../connection/database.ts";
import type { JobsStep, NewJob } from "../contract/job-records.ts";
import type { JobStore } from "../contract/job-store.ts";
import type { ClaimCursors } from "../effects/claim-cursors.ts";
import { changing, type Effect, type Effects, type Published } from "../effects/effects.ts";
import { countJobs, listJobs } from "../selection/job-lists.ts";
import { deleteStill } from "../stills/deletion.ts";
import { getStill, listStills, requestStills } from "../stills/stills.ts";
import { cancelJob } from "../tasks/endings.ts";
import { parts } from "../tasks/parts.ts";
import { queued, usage } from "../tasks/usage.ts";
import { findAnswers } from "./answers.ts";
import { cancelSome, deleteJob, deleteSome } from "./bulk.ts";
import { finishingJob, finishJob } from "./finish.ts";
import { effectOfJobs, lowerCursors } from "./insertion.ts";
import { getJob, insertEach, insertJobs, jobDetail, knownKeys, tenantOf } from "./jobs.ts";
import { relabelJob } from "./labels.ts";
import { deleteEnded } from "./retention.ts";
import { idsInSpecs } from "./spec-ids.ts";

export function jobStore(database: Database, cursors: ClaimCursors, effects: Effects): Published<JobStore> {
  const { change } = changing(database, effects);
  return {
    ...bound(database, {
      knownKeys,
      job: getJob,
      jobDetail,
      finishingJob,
      findAnswers,
      countJobs,
      idsInSpecs,
      tenantOf,
    }),
    ...bound(database, { parts, queued, usage, listStills, still: getStill }),
    ...bound(database, { listClips, clip: getClip, clipPiece: getClipPiece }),
    insertJobs: insertion(database, cursors, effects),
    listJobs: async (tenant, filter, after, limit, sort = "NEWEST") =>
      listJobs(database, tenant, filter, { sort, after, limit }),
    relabelJob: change(relabelJob, (outcome) => ({ jobs: outcome?.changed })),
    cancelJob: change(cancelJob, (outcome, tenant) =>
      outcome?.changed ? endEffect(tenant, outcome.nodes) : {},
    ),
    finishJob: change(finishJob, (outcome) => ({ jobs: outcome?.created, ready: [outcome?.ready] })),
    cancelSome: change(cancelSome, stepEffect),
    deleteJob: change(deleteJob, (outcome, tenant) =>
      outcome?.deleted ? endEffect(tenant, outcome.nodes) : {},
    ),
    deleteSome: change(deleteSome, stepEffect),
    deleteEnded: change(deleteEnded, (deleted) => ({ jobs: deleted > 0 })),
    requestStills: change(requestStills, (outcome) => ({ ready: [outcome?.ready] })),
    deleteStill: change(deleteStill, (outcome, tenant) => (outcome ? endEffect(tenant, outcome.nodes) : {})),
    requestClips: change(requestClips, (outcome) => ({ ready: [outcome?.ready] })),
    deleteClip: change(deleteClip, (outcome, tenant) => (outcome ? endEffect(tenant, outcome.nodes) : {})),
  };
}

function insertion(database: Database, cursors: ClaimCursors, effects: Effects) {
  const inserts = new Batcher(
    async (tenant: string, jobs: readonly NewJob[]) => insertEach(database, tenant, jobs),
    ({ spec }) => spec.length,
  );
  return changing(database, effects).change(
    async (on, tenant: string, jobs: readonly NewJob[]) => {
      const [alone] = jobs;
      const one = jobs.length === 1 && alone !== undefined && alone.answeredBy === undefined;
      const stored = one ? [await inserts.call(tenant, alone)] : await insertJobs(on, tenant, jobs);
      lowerCursors(cursors, tenant, jobs);
      return stored;
    },
    (stored, tenant, jobs) =>
      effectOfJobs(
        tenant,
        jobs.filter((_, index) => stored[index]?.created),
      ),
  );
}

function stepEffect({ jobs, nodes }: JobsStep, tenant: string): Effect {
  return jobs.length > 0 ? endEffect(tenant, nodes) : {};
}

/** The effect of jobs of a tenant that ended or were deleted. `nodes`: those that ran their tasks. */
function endEffect(tenant: string, nodes: readonly string[]): Effect {
  return { jobs: true, nodes, released: nodes.length > 0 ? [tenant] : [] };
}
