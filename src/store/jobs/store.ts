/** The part of the store that keeps jobs. */
import { Batcher } from "../connection/batcher.ts";
import { bound } from "../connection/bound.ts";
import type { Database } from "../connection/database.ts";
import type { NewJob } from "../contract/job-records.ts";
import type { JobStore } from "../contract/job-store.ts";
import { classKey } from "../schema/rows.ts";
import { countJobs, listJobs } from "../selection/job-lists.ts";
import { deleteStill } from "../stills/deletion.ts";
import { getStill, listStills, requestStills } from "../stills/stills.ts";
import type { ClaimCursors } from "../tasks/claim-cursors.ts";
import { cancelJob } from "../tasks/endings.ts";
import { parts } from "../tasks/parts.ts";
import { queued, usage } from "../tasks/usage.ts";
import { cancelSome, deleteJob, deleteSome } from "./bulk.ts";
import { getJob, insertEach, insertJobs, jobDetail, knownKeys, tenantOf } from "./jobs.ts";
import { relabelJob } from "./labels.ts";
import { deleteEnded } from "./retention.ts";

export function jobStore(database: Database, cursors: ClaimCursors): JobStore {
  const inserts = new Batcher(
    async (tenant: string, jobs: readonly NewJob[]) => insertEach(database, tenant, jobs),
    ({ spec }) => spec.length,
  );
  return {
    ...bound(database, { knownKeys, job: getJob, jobDetail, countJobs, relabelJob, tenantOf, deleteEnded }),
    ...bound(database, { cancelJob, cancelSome, deleteJob, deleteSome, parts, queued, usage }),
    ...bound(database, { deleteStill, listStills, still: getStill }),
    async insertJobs(tenant, jobs) {
      const [alone] = jobs;
      const one = jobs.length === 1 && alone !== undefined;
      const stored = one ? [await inserts.call(tenant, alone)] : await insertJobs(database, tenant, jobs);
      for (const { workClass, priority } of jobs) {
        cursors.lowerToRank(tenant, classKey(workClass), -priority);
      }
      return stored;
    },
    listJobs: async (tenant, filter, after, limit, sort = "NEWEST") =>
      listJobs(database, tenant, filter, { sort, after, limit }),
    async requestStills(tenant, jobId, frames) {
      const outcome = await requestStills(database, tenant, jobId, frames);
      cursors.readied(outcome?.ready ? [outcome.ready] : []);
      return outcome;
    },
  };
}
