/** Cancels and deletes jobs: one request for thousands of jobs, whose response streams the progress. */
import { MAX_CHANGED } from "../../../src/jobs/request-limits.ts";
import { type Credentials, fetchRaw } from "../api/client.ts";
import { eventsOf } from "../api/events.ts";
import { errorOf, unanswered } from "../api/problem.ts";

export type Change = "cancel" | "delete";

/** Returns how many jobs were changed. `progressed` receives the count after each step. Throws ApiError. */
export async function changeJobs(
  credentials: Credentials,
  change: Change,
  ids: readonly string[],
  progressed: (changed: number) => void,
  signal: AbortSignal,
): Promise<number> {
  let changed = 0;
  for (let first = 0; first < ids.length; first += MAX_CHANGED) {
    const before = changed;
    const some = ids.slice(first, first + MAX_CHANGED);
    for await (const count of progressOf(credentials, change, some, signal)) {
      changed = before + count;
      progressed(changed);
    }
  }
  return changed;
}

/** Yields the number of changed jobs after each step and at the end. */
async function* progressOf(
  credentials: Credentials,
  change: Change,
  ids: readonly string[],
  signal: AbortSignal,
): AsyncGenerator<number> {
  const { body } = await fetchRaw(credentials, `/v1/jobs:${change}`, {
    method: "POST",
    headers: { accept: "text/event-stream", "content-type": "application/json" },
    body: JSON.stringify({ filter: { ids } }),
    signal,
  });
  if (body === null) throw unanswered();
  for await (const { name, data } of eventsOf(body)) {
    const progress: unknown = JSON.parse(data);
    if (name === "error") throw errorOf(numberIn(progress, "status"), progress);
    yield numberIn(progress, change === "cancel" ? "cancelled" : "deleted");
    if (name === "done") return;
  }
  throw unanswered();
}

function numberIn(value: unknown, member: string): number {
  const number = (value as Readonly<Record<string, unknown>> | null)?.[member];
  return typeof number === "number" ? number : 0;
}
