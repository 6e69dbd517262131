/** SQL that reads the scores of jobs with a label. */
import type { Database } from "../connection/database.ts";
import { statement } from "../connection/statement.ts";
import type { LabelledScore } from "../contract/comparison-records.ts";
import { SCORER, type ScorerColumns, scorerOf } from "../schema/rows.ts";

/** Reads from each result only what a trend needs, in one pass: a whole result has some kilobytes. */
const FIND = statement(`
  select job.id, job.spec::json ->> 'reference' as reference, job.spec::json ->> 'distorted' as distorted, job.labels,
    scored.pooled, scored.models, scored.model,
    ${SCORER.map((column) => `job.${column}`).join(", ")}
  from job cross join lateral json_to_record(job.result::json) as scored(pooled json, models json, model text)
  where job.tenant_id = $1 and job.state = 'SUCCEEDED' and job.estimate is null and job.result is not null
    and job.labels ? $2 and job.labels @> $3::jsonb
  order by job.created_at desc, job.id desc limit $4`);

interface FoundColumns extends ScorerColumns {
  readonly id: string;
  readonly reference: string | null;
  readonly distorted: string | null;
  readonly labels: Readonly<Record<string, string>>;
  readonly pooled: unknown;
  readonly models: unknown;
  readonly model: string | null;
}

/** Returns the latest succeeded jobs with a label of that key and all of these labels, at most `limit`; no estimates. */
export async function scoresWith(
  database: Database,
  tenant: string,
  key: string,
  labels: Readonly<Record<string, string>>,
  limit: number,
): Promise<readonly LabelledScore[]> {
  const values = [tenant, key, JSON.stringify(labels), limit];
  const rows = await database.query<FoundColumns>({ tenant }, FIND, values);
  return rows.map((row) => ({
    ...{ id: row.id, labels: row.labels, pooled: row.pooled, models: row.models },
    ...{ reference: row.reference ?? "", distorted: row.distorted ?? "", model: row.model ?? "" },
    scorer: scorerOf(row),
  }));
}
