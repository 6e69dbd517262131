/**
 * Checks that nothing was lost or duplicated: each job once, with all of its scores, and each change once in every
 * stream.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { JOB } from "../formulas.ts";
import type { Follower } from "./follower.ts";
import type { Simulated } from "./sample.ts";

const DRAIN_LIMIT_MS = 300_000;
const LOOK_MS = 1_000;
/** Longer than the interval at which controllers poll for events without a notification. */
const LAST_WORDS_MS = 3_000;

const LEFT = "select count(*) as left from svc.work where state not in ('DONE', 'FAILED', 'CANCELLED')";

const COUNTS = `
  select (select count(*) from svc.job) as jobs, (select count(*) from svc.job where state = 'SUCCEEDED') as succeeded,
    (select count(*) from svc.job where state in ('QUEUED', 'RUNNING')) as waiting,
    (select count(*) from svc.work) as work, (select count(*) from svc.work where attempt > 1) as again,
    (select count(*) from svc.piece) as pieces, (select count(*) from svc.still) as stills,
    (select count(*) from svc.event) as events`;

/** Waits until all tasks are done, or until a limit. */
export async function untilDone({ cluster, database }: Simulated): Promise<void> {
  const began = performance.now();
  for (;;) {
    const { rows } = await cluster.admin(LEFT, database);
    if (Number(rows[0].left) === 0 || performance.now() - began > DRAIN_LIMIT_MS) break;
    await sleep(LOOK_MS);
  }
  await sleep(LAST_WORDS_MS);
}

/** Prints the counts, and returns the faults. */
export async function balance(
  { cluster, database }: Simulated,
  submitted: ReadonlySet<string>,
  followers: readonly Follower[],
): Promise<readonly string[]> {
  const { rows } = await cluster.admin(COUNTS, database);
  const counts: Record<string, string> = rows[0];
  const count = (name: string) => Number(counts[name]);
  const stored = await cluster.admin("select id from svc.job", database);
  const unknown = stored.rows.filter(({ id }) => !submitted.has(id)).length;
  const events = count("events");
  console.log(
    `\n  ${submitted.size} jobs submitted, ${count("jobs")} stored: ${count("succeeded")} succeeded, ${count("waiting")} unfinished`,
  );
  console.log(
    `  ${count("work")} tasks, ${count("again")} leased more than once; ${count("pieces")} blocks of per-frame scores, ${count("stills")} stills`,
  );
  for (const [index, { changes, repeated, missed, resumed }] of followers.entries()) {
    console.log(
      `  stream ${index + 1}: ${changes} of ${events} changes, ${missed} missed, ${repeated} repeated, resumed ${resumed} times`,
    );
  }
  const faults = {
    "jobs are lost": count("jobs") < submitted.size,
    "jobs are stored twice, or were never submitted": unknown > 0 || count("jobs") > submitted.size,
    "jobs did not succeed": count("succeeded") !== submitted.size,
    "per-frame scores are missing or duplicated": count("pieces") !== JOB.segments * submitted.size,
    "stills are missing or duplicated": count("stills") !== JOB.stills * submitted.size,
    "a stream did not send every change once, in order": followers.some(
      ({ changes, missed, repeated }) => changes !== events || missed > 0 || repeated > 0,
    ),
  };
  return Object.entries(faults).flatMap(([what, holds]) => (holds ? [what] : []));
}
