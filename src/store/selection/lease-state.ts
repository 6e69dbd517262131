/** The state of a task's lease, and the outcome of a report without a live lease. */

import { isId } from "../../jobs/ids.ts";
import { LONGEST_LEASE_MS } from "../../jobs/retry.ts";
import { statesBefore, WORK_TRANSITIONS } from "../../jobs/states.ts";
import type { WorkKind } from "../../jobs/work.ts";
import type { Database } from "../connection/database.ts";
import { statement } from "../connection/statement.ts";
import type { Fence } from "../contract/task-records.ts";
import { quoted, sessionKey } from "../schema/rows.ts";

/** Condition on `work`: task $2 in attempt $3 is leased to the live session $1. */
export const LIVE_LEASE = `
  work.id = $2 and work.attempt = $3 and work.state = 'LEASED'
  and work.node_id = (select node.id from node where node.session = $1 and node.ended is null)`;

export function fenceValues({ session, itemId, attempt }: Fence): [string, string, number] {
  return [sessionKey(session), itemId, attempt];
}

/** Condition on a leased task: its lease expired. An impossibly long lease is from before the clock was set back. */
export const LEASE_OVER = `(work.lease_until < now()
  or work.lease_until > now() + ${LONGEST_LEASE_MS} * interval '1 millisecond')`;

/** States from which a task can become DONE. */
export const TO_DONE = quoted(statesBefore(WORK_TRANSITIONS, "DONE"));

const STATE_OF_LEASE = statement(`
  select work.reported = $3 as reported, work.state = 'LEASED' as live, work.kind, work.tenant_id
  from work where work.id = $2 and work.attempt = $3
    and work.node_id = (select node.id from node where node.session = $1 and node.ended is null)`);

export interface Refusal {
  readonly recorded: "REPEATED" | "STALE";
  /** Kind of the task if its lease is alive: the report was refused for another reason. */
  readonly live: WorkKind | undefined;
  readonly tenant: string | undefined;
}

/** Returns why a report was refused. A separate query, because only a new snapshot sees concurrent changes. */
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
