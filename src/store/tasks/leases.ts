/** Checks that scored tasks are still leased before their per-frame scores are validated, which is more expensive. */
import { SCORING_KINDS } from "../../jobs/work.ts";
import type { Database } from "../connection/database.ts";
import { statement } from "../connection/statement.ts";
import type { Fence } from "../contract/task-records.ts";
import { quoted, sessionKey } from "../schema/rows.ts";

const LEASED = statement(`
  select given.place::int as place
  from unnest($1::text[], $2::uuid[], $3::int[]) with ordinality as given(session, item, attempt, place)
  join work on work.id = given.item and work.attempt = given.attempt
  join node on node.id = work.node_id and node.session = given.session and node.ended is null
  where work.state = 'LEASED' and work.kind in (${quoted(SCORING_KINDS)})`);

/** Returns for each fence, in order, whether it is the live lease of a scoring task; one statement for all. */
export async function areScoring(database: Database, fences: readonly Fence[]): Promise<readonly boolean[]> {
  const rows = await database.query<{ place: number }>("fleet", LEASED, [
    fences.map(({ session }) => sessionKey(session)),
    fences.map(({ itemId }) => itemId),
    fences.map(({ attempt }) => attempt),
  ]);
  const leased = new Set(rows.map(({ place }) => place));
  return fences.map((_, index) => leased.has(index + 1));
}
