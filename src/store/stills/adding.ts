/** SQL that adds the tasks that make stills and clips. */

import { MIN_STILLS_COST, STILLS_RANK } from "../../jobs/stills.ts";
import {
  CLIPS_CLASS,
  ofStoredTitle,
  SCORING_KINDS,
  STILLS_CLASS,
  STORED_SCORE_CLASS,
} from "../../jobs/work.ts";
import type { Value } from "../connection/statement.ts";
import type { StillsPart } from "../contract/still-records.ts";
import { classKey, quoted } from "../schema/rows.ts";

/**
 * SQL of the cost of stills of a job in `of`: for each scored task with wanted frames, the share of its cost for
 * decoding up to the last of them. `parts`: number of the parameter with the frames.
 */
function costOfStills(of: string, parts: number): string {
  return `greatest(${MIN_STILLS_COST}, (
    select sum(reached.cost) from (
      select scored.cost * (max(wanted.frame) - scored.first_frame + 1) / scored.frame_count as cost
      from (
        select number::bigint as frame
        from jsonb_array_elements($${parts}::jsonb) as part, jsonb_array_elements_text(part -> 'frames') as number) as wanted
      join work as scored on scored.job_id = ${of}.id and scored.generation = ${of}.generation
        and scored.kind in (${quoted(SCORING_KINDS)})
        and wanted.frame >= scored.first_frame and wanted.frame < scored.first_frame + scored.frame_count
      group by scored.id) as reached))`;
}

/**
 * Statement that adds a STILLS task for the jobs of a subquery `of`, which has whole job rows. Its rank puts
 * it after all scoring tasks of the tenant, and its seq after the other tasks of the job.
 *
 * @param first number of its first parameter; the values are from stillsValues.
 */
export function addingStills(of: string, first: number, condition = "true"): string {
  return adding(of, first, { workClass: STILLS_CLASS, clipFrame: "null", condition });
}

/** The same for a STILLS task that makes a clip; the values are from clipValues. */
export function addingClip(of: string, first: number): string {
  return adding(of, first, { workClass: CLIPS_CLASS, clipFrame: `$${first + 4}::bigint`, condition: "true" });
}

interface Added {
  /** Class for videos that are not titles in storages. */
  readonly workClass: string;
  /** SQL of the frame of the clip. */
  readonly clipFrame: string;
  readonly condition: string;
}

function adding(of: string, first: number, { workClass, clipFrame, condition }: Added): string {
  const [parts, key, frame, count] = [0, 1, 2, 3].map((n) => `$${first + n}`);
  const stored = ofStoredTitle(workClass);
  const isStored = `${of}.score_class like '${STORED_SCORE_CLASS}%'`;
  return `
    insert into work (job_id, tenant_id, kind, state, work_class, class_key, rank, job_seq, seq, generation, cost,
      first_frame, frame_count, stills, clip_frame)
    select ${of}.id, ${of}.tenant_id, 'STILLS', 'PENDING',
      case when ${isStored} then '${stored}' else '${workClass}' end,
      case when ${isStored} then '${classKey(stored)}'::bigint else ${key}::bigint end,
      ${STILLS_RANK} - ${of}.priority, ${of}.seq,
      coalesce(
        (select max(work.seq) + 1 from work where work.job_id = ${of}.id and work.kind = 'STILLS'), ${of}.segments_total),
      ${of}.generation, ${costOfStills(of, first)}, ${frame}::bigint, ${count}::bigint, ${parts}::jsonb, ${clipFrame}
    from ${of} where ${condition}`;
}

/** The values of addingStills. */
export function stillsValues(parts: readonly StillsPart[]): Value[] {
  return valuesOf(parts, STILLS_CLASS);
}

/** The values of addingClip. `frame`: the frame that the clip is requested for. */
export function clipValues(parts: readonly StillsPart[], frame: number): Value[] {
  return [...valuesOf(parts, CLIPS_CLASS), frame];
}

function valuesOf(parts: readonly StillsPart[], workClass: string): Value[] {
  const frames = parts.flatMap((part) => part.frames);
  return [JSON.stringify(parts), classKey(workClass), Math.min(...frames), frames.length];
}
