/** Generates server-sent events (HTML standard, 9.2) as the client reads. */

import { within } from "../../platform/concurrency/lifecycle.ts";
import { Failure } from "../../platform/failure.ts";
import { problemOf } from "./problem.ts";

/** Milliseconds. Proxies close connections that are silent for 30 to 60 s. */
const KEEP_ALIVE_MS = 15_000;
/** Milliseconds within which a failure of a stream becomes the status of the response instead of an event. */
const FIRST_EVENT_MS = 250;

export const EVENT_STREAM = {
  "content-type": "text/event-stream; charset=utf-8",
  "x-accel-buffering": "no",
} as const;

export interface EventText {
  readonly name: string;
  readonly data: object;
  /** Where to resume; empty: the event has no position. */
  readonly id?: string;
}

/**
 * Returns the text of events until `gone` aborts. A later failure becomes the last event. Throws an immediate
 * failure.
 */
export async function eventTexts(
  events: AsyncIterable<EventText>,
  requestId: string,
  gone: AbortSignal,
): Promise<AsyncGenerator<string>> {
  const iterator = events[Symbol.asyncIterator]();
  const first = iterator.next();
  // Ends the source when the client leaves: a body that is no longer read would not end it.
  gone.addEventListener("abort", () => void iterator.return?.().catch(() => {}), { once: true });
  await arrivesWithin(first, FIRST_EVENT_MS);
  return texts(iterator, first, requestId);
}

type Step = IteratorResult<EventText, unknown>;

async function* texts(
  events: AsyncIterator<EventText>,
  first: Promise<Step>,
  requestId: string,
): AsyncGenerator<string> {
  try {
    yield ": jobs\n\n";
    let next = first;
    for (;;) {
      // If the client has left, nobody awaits this promise; the handler avoids an unhandled rejection.
      next.catch(() => {});
      if (!(await arrivesWithin(next, KEEP_ALIVE_MS))) {
        yield ": still here\n\n";
        continue;
      }
      const step = await next;
      if (step.done === true) return;
      yield textOf(step.value);
      next = events.next();
    }
  } catch (thrown) {
    yield textOf({ name: "error", data: problemOf(Failure.from(thrown), requestId) });
  } finally {
    await events.return?.();
  }
}

/** Returns false if the step does not arrive in time. */
function arrivesWithin(step: Promise<Step>, limitMs: number): Promise<boolean> {
  return within(limitMs, async () => void (await step));
}

/** Neither JSON nor event ids contain line breaks. */
function textOf({ id = "", name, data }: EventText): string {
  return `${id === "" ? "" : `id: ${id}\n`}event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}
