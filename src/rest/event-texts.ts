/** Server-sent events (HTML standard, 9.2) as the text of an answer, made as the client reads. */
import { Failure } from "../platform/failure.ts";
import { within } from "../platform/lifecycle.ts";
import { problemOf } from "./problem.ts";

/** Milliseconds: proxies cut connections that are silent for 30 to 60 s. */
const KEEP_ALIVE_MS = 15_000;
/** Milliseconds in which what is wrong with a stream is still told by the answer's status, and not by an event. */
const FIRST_EVENT_MS = 250;

export const EVENT_STREAM = {
  "content-type": "text/event-stream; charset=utf-8",
  "x-accel-buffering": "no",
} as const;

export interface EventText {
  readonly name: string;
  readonly data: object;
  /** Where to resume; empty: this event has no place. */
  readonly id?: string;
}

/** The texts of events, as `gone` allows. What ends them once the answer has begun is its last event. Throws what is wrong at once. */
export async function eventTexts(
  events: AsyncIterable<EventText>,
  requestId: string,
  gone: AbortSignal,
): Promise<AsyncGenerator<string>> {
  const iterator = events[Symbol.asyncIterator]();
  const first = iterator.next();
  // A body that nobody came to read does not end what it is made of.
  gone.addEventListener("abort", () => void iterator.return?.().catch(() => {}), { once: true });
  await comes(first, FIRST_EVENT_MS);
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
      // Nobody may be here to see how it ends, when the client has left.
      next.catch(() => {});
      if (!(await comes(next, KEEP_ALIVE_MS))) {
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

/** False: not in that time. */
function comes(step: Promise<Step>, limitMs: number): Promise<boolean> {
  return within(limitMs, async () => void (await step));
}

/** JSON has no line breaks, and event ids none either. */
function textOf({ id = "", name, data }: EventText): string {
  return `${id === "" ? "" : `id: ${id}\n`}event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}
