/** Whether work is leased still, to whom, and what a report comes to that finds it otherwise. */

import { isId } from "../jobs/ids.ts";
import { LONGEST_LEASE_MS } from "../jobs/retry.ts";
import { statesBefore, WORK_TRANSITIONS } from "../jobs/states.ts";
import type { WorkKind } from "../jobs/work.ts";
import type { Database } from "./database.ts";
import { quoted, sessionKey } from "./rows.ts";
import { statement } from "./statement.ts";
import type { Fence } from "./work-records.ts";

/** Condition on `work`: it is leased to the session ($1) that is alive, as item $2 in attempt $3. */
export const LIVE_LEASE = `
  work.id = $2 and work.attempt = $3 and work.state = 'LEASED'
  and work.node_id = (select node.id from node where node.session = $1 and node.ended is null)`;

export function fenceValues({ session, itemId, attempt }: Fence): [string, string, number] {
  return [sessionKey(session), itemId, attempt];
}

/** Condition on leased work: nobody renewed it in time. A lease longer than any is from before the clock was set back. */
export const LEASE_OVER = `(work.lease_until < now()
  or work.lease_until > now() + ${LONGEST_LEASE_MS} * interval '1 millisecond')`;

/** States of work that becomes DONE. */
export const TO_DONE = quoted(statesBefore(WORK_TRANSITIONS, "DONE"));

const STATE_OF_LEASE = statement(`
  select work.reported = $3 as reported, work.state = 'LEASED' as live, work.kind, work.tenant_id
  from work where work.id = $2 and work.attempt = $3
    and work.node_id = (select node.id from node where node.session = $1 and node.ended is null)`);

export interface Refusal {
  readonly recorded: "REPEATED" | "STALE";
  /** What the lease is of, when it is alive: it was refused for another reason. */
  readonly live: WorkKind | undefined;
  readonly tenant: string | undefined;
}

/** Why a report did not count: asked afterwards, because only a new snapshot sees what came between. */
export async function refusalOf(database: Database, fence: Fence): Promise<Refusal> {
  const [row] = isId(fence.itemId)
    ? await database.query<{ reported: boolean; live: boolean; kind: WorkKind; tenant_id: string }>(
        "fleet",
        STATE_OF_LEASE,
        fenceValues(fence),
      )
    : [];
  const recorded = row?.reported === true && !row.live ? "REPEATED" : "STALE";
  return { recorded, live: row?.live === true ? row.kind : undefined, tenant: row?.tenant_id };
}
