/** Pulls tasks: one long poll for each free slot, up to a limit. */
import type { Connection } from "../client/connection/connection.ts";
import { NodeService, type WorkItem } from "../gen/proto/svc/v1/node_pb.ts";
import { BackOff } from "../platform/concurrency/back-off.ts";
import { pause } from "../platform/concurrency/lifecycle.ts";
import { Failure } from "../platform/failure.ts";
import type { Contact } from "./contact.ts";
import type { Worker } from "./worker.ts";

/** Milliseconds that the controller may hold a poll. */
const WAIT_MS = 30_000;
/** Additional milliseconds until a poll times out. */
const ANSWER_MS = 10_000;
/** Polls at a time: enough to fill any number of slots in a few rounds, and below the limit of calls per connection. */
const MAX_PULLS = 32;
const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 5_000;

export interface PullParts {
  readonly connection: Connection;
  readonly session: string;
  readonly slots: number;
  readonly worker: Worker;
  readonly contact: Contact;
  /** Called when a task was leased. */
  readonly onLease: () => void;
}

/** Pulls until the signal aborts. */
export async function pullWork(parts: PullParts, signal: AbortSignal): Promise<void> {
  const pulls = Array.from({ length: Math.min(parts.slots, MAX_PULLS) }, () => keepPulling(parts, signal));
  await Promise.all(pulls);
}

async function keepPulling(parts: PullParts, signal: AbortSignal): Promise<void> {
  const { worker, contact, session } = parts;
  const backOff = new BackOff(FIRST_PAUSE_MS, LONGEST_PAUSE_MS);
  while (await worker.takeSlot(signal)) {
    const started = performance.now();
    const item = await pull(parts, signal);
    if (item !== undefined) {
      worker.begin(session, item);
      parts.onLease();
      backOff.reset();
      continue;
    }
    worker.giveSlot();
    // Limits the rate of polls if the controller answers without waiting.
    if (performance.now() - started > WAIT_MS / 2) backOff.reset();
    else await pause(backOff.next(), signal);
    await contact.untilReached(signal);
  }
}

/** One poll; returns undefined if there was no task or no answer. */
async function pull(
  { connection, session, contact }: PullParts,
  signal: AbortSignal,
): Promise<WorkItem | undefined> {
  try {
    const options = { timeoutMs: WAIT_MS + ANSWER_MS, signal };
    const { item } = await connection.call(
      NodeService.method.pullWork,
      { session, waitMs: WAIT_MS },
      options,
    );
    return item;
  } catch (thrown) {
    if (!signal.aborted) contact.fail(Failure.from(thrown));
    return undefined;
  }
}
