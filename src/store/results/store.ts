/** The part of the store that keeps the objects of the results storage. */
import { bound } from "../connection/bound.ts";
import type { Database } from "../connection/database.ts";
import { statement } from "../connection/statement.ts";
import type { ResultCounts, ResultPlace, ResultStore } from "../contract/result-store.ts";
import { linkClip, linkStill, reserve, takeClips, takeStills } from "./moves.ts";
import { restoreClip, restoreStill, takeMovedClips, takeMovedStills } from "./returns.ts";
import { HAS_SCORES, linkScores, restoreScores, takeMovedScores, takeScores, UNMOVED } from "./scores.ts";

export function resultStore(database: Database): ResultStore {
  return bound(database, {
    ...{ moveTo, place, count },
    ...{ takeStills, takeClips, reserve, linkStill, linkClip },
    ...{ takeMovedStills, takeMovedClips, restoreStill, restoreClip },
    ...{ takeScores, linkScores, takeMovedScores, restoreScores },
    ...{ takeUnreferenced, forget },
  });
}

const MOVE_TO = statement("update installation set results_in = $1");

async function moveTo(database: Database, to: ResultPlace): Promise<void> {
  await database.query("fleet", MOVE_TO, [to]);
}

const PLACE = statement("select results_in from installation");

async function place(database: Database): Promise<ResultPlace> {
  const [row] = await database.query<{ results_in: ResultPlace }>("fleet", PLACE, []);
  return row?.results_in ?? "storage";
}

const counted = (rows: string) => `(select count(*) from (select 1 from ${rows} limit $1) as counted)`;

const COUNT = statement(`
  select ${counted("still where object_id is not null")} + ${counted("clip where object_id is not null")}
      + ${counted(`result_object where ${HAS_SCORES}`)} as storage,
    ${counted("still where object_id is null")} + ${counted("clip where object_id is null and ready")}
      + ${counted(`job where ${UNMOVED("$2")}`)} as database`);

async function count(database: Database, most: number, scoresAfterMs: number): Promise<ResultCounts> {
  type Columns = { readonly storage: number; readonly database: number };
  const [row] = await database.query<Columns>("fleet", COUNT, [most, scoresAfterMs]);
  return row ?? { storage: 0, database: 0 };
}

const REFERRED = `(exists (select from still where still.object_id = result_object.id)
  or exists (select from clip where clip.object_id = result_object.id) or ${HAS_SCORES})`;

/**
 * A row can begin to refer to an object only under a lock of the object that also changes check_at, or as the copy of
 * another such row, which exists until the copy is committed.
 */
const TAKE_UNREFERENCED = statement(`
  with due as (
    select id from result_object where check_at <= now() order by check_at limit $1 for update skip locked),
  kept as (
    update result_object set check_at = null from due
    where result_object.id = due.id and not result_object.doomed and ${REFERRED})
  update result_object set doomed = true, check_at = now() + $2::float8 * interval '1 millisecond' from due
  where result_object.id = due.id and not ${REFERRED}
  returning result_object.id, result_object.key`);

async function takeUnreferenced(
  database: Database,
  limit: number,
  holdMs: number,
): Promise<readonly { readonly id: string; readonly key: string }[]> {
  return database.query("fleet", TAKE_UNREFERENCED, [limit, holdMs]);
}

const FORGET = statement("delete from result_object where id = any($1::uuid[]) and doomed");

async function forget(database: Database, ids: readonly string[]): Promise<void> {
  await database.query("fleet", FORGET, [ids]);
}
