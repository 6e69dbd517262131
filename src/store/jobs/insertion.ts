/** The effects of new jobs on the claims of this process and on others. */
import type { NewJob } from "../contract/job-records.ts";
import type { ClaimCursors } from "../effects/claim-cursors.ts";
import type { Effect } from "../effects/effects.ts";
import { classKey } from "../schema/rows.ts";

/** Lets the next claims find the tasks of new jobs. */
export function lowerCursors(cursors: ClaimCursors, tenant: string, jobs: readonly NewJob[]): void {
  for (const { workClass, priority } of jobs) cursors.lowerToRank(tenant, classKey(workClass), -priority);
}

export function effectOfJobs(tenant: string, created: readonly NewJob[]): Effect {
  const classes = new Set(created.map(({ workClass }) => workClass));
  return {
    jobs: created.length > 0,
    appended: [...classes].map((workClass) => ({ tenant, workClass })),
  };
}
