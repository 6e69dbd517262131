/** The part of the store that keeps comparisons. */
import { bound } from "../connection/bound.ts";
import type { Database } from "../connection/database.ts";
import type { CellJobs } from "../contract/comparison-records.ts";
import type { ComparisonStore } from "../contract/comparison-store.ts";
import type { NewJob } from "../contract/job-records.ts";
import type { ClaimCursors } from "../effects/claim-cursors.ts";
import { changing, type Effects, type Published } from "../effects/effects.ts";
import { effectOfJobs, lowerCursors } from "../jobs/insertion.ts";
import { addCells, deleteComparison, deleteEmpty, insert, replaceJobs } from "./changes.ts";
import { find, list, tenantOf, withKey } from "./reads.ts";
import { scoresWith } from "./trends.ts";

export function comparisonStore(
  database: Database,
  cursors: ClaimCursors,
  effects: Effects,
): Published<ComparisonStore> {
  const { change } = changing(database, effects);
  const stored = (tenant: string, jobs: readonly NewJob[], outcomes: CellJobs = []) => {
    const created = jobs.filter((_, index) => outcomes[index]?.created);
    lowerCursors(cursors, tenant, created);
    return effectOfJobs(tenant, created);
  };
  const jobsOf = (cells: readonly { readonly job: NewJob }[]) => cells.map(({ job }) => job);
  return {
    ...bound(database, { find, withKey, list, tenantOf, deleteComparison, deleteEmpty, scoresWith }),
    insert: change(insert, ({ jobs }, tenant, _, cells) => stored(tenant, jobsOf(cells), jobs)),
    addCells: change(addCells, (outcome, tenant, _, cells) => stored(tenant, jobsOf(cells), outcome?.jobs)),
    replaceJobs: change(replaceJobs, (outcome, tenant, _, cells) =>
      stored(tenant, jobsOf(cells), outcome?.jobs),
    ),
  };
}
