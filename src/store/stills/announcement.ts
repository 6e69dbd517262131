/** Announces that the stills or clips of a job have changed although its state has not. */
import { type Sender, statement } from "../connection/statement.ts";
import { eventsOf, NEXT_REVISION } from "../schema/rows.ts";

const ANNOUNCE = statement(`
  with shown as (update job set ${NEXT_REVISION} where job.id = $1 returning job.*)
  ${eventsOf("shown", "shown.state")}`);

export async function announceShown(sender: Sender, jobId: string): Promise<void> {
  await sender.query(ANNOUNCE, [jobId]);
}
