/** Copies of the scores of a job, for another job of its tenant. */
import { SCORING_KINDS } from "../../jobs/work.ts";
import { type Sender, statement } from "../connection/statement.ts";
import { CHUNK, COPIED_CHUNK } from "../schema/result-objects.ts";
import { quoted } from "../schema/rows.ts";

/** Segments of job $1 that are scored. */
export const SCORED = `
  select work.* from work join job on job.id = work.job_id and job.generation = work.generation
  where work.job_id = $1 and work.state = 'DONE' and work.kind in (${quoted(SCORING_KINDS)})`;

/** Copied columns of a task; its position among the tasks of other jobs is that of the new job. */
export const COPIED: readonly string[] = [
  ...["kind", "state", "work_class", "class_key", "seq", "cost", "first_frame", "frame_count", "frames_done"],
  ...[
    "segment",
    "attempt",
    "failures",
    "reported",
    "node_id",
    "node_name",
    "started_at",
    "ended_at",
    "findings",
    "shots",
  ],
];

/** The copied columns of a table or alias. */
export function columnsOf(of: string): string {
  return COPIED.map((column) => `${of}.${column}`).join(", ");
}

/**
 * A separate statement, because row-level security looks for the new tasks, which are visible only after the
 * statement that adds them.
 */
const COPY_SCORES = statement(`
  insert into piece (work_id, attempt, number, row_count, ${CHUNK})
  select copy.id, piece.attempt, piece.number, piece.row_count, ${COPIED_CHUNK}
  from (${SCORED}) as scored
  join work as copy on copy.job_id = $2 and copy.generation = 1 and copy.seq = scored.seq and copy.state = 'DONE'
    and copy.kind = scored.kind and copy.first_frame = scored.first_frame
  join piece on piece.work_id = scored.id and piece.attempt = scored.reported`);

/** Copies the per-frame scores of a job to the copies of its tasks, which have generation 1. */
export async function copyScores(sender: Sender, from: string, to: string): Promise<void> {
  await sender.query(COPY_SCORES, [from, to]);
}
