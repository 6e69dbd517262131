/** Reads server-sent events one by one. */
import { withTimeout } from "../waiting.ts";

export interface ServerEvent {
  readonly event: string;
  readonly id: string;
  readonly data: string;
}

export class EventStream implements Disposable {
  readonly response: Response;
  readonly #stop: AbortController;
  readonly #events: AsyncGenerator<ServerEvent>;

  private constructor(response: Response, stop: AbortController) {
    this.response = response;
    this.#stop = stop;
    this.#events = eventsOf(response);
  }

  static async open(
    url: string,
    headers: Readonly<Record<string, string>> = {},
    init: RequestInit = {},
  ): Promise<EventStream> {
    const stop = new AbortController();
    const response = await fetch(url, { ...init, headers, signal: stop.signal });
    return new EventStream(response, stop);
  }

  /** Returns the next event; undefined when the server has ended the stream. */
  async next(): Promise<ServerEvent | undefined> {
    const { value, done } = await withTimeout(this.#events.next(), "an event");
    return done === true ? undefined : value;
  }

  /** Returns the next event that matches; earlier ones are dropped. */
  async find(holds: (event: ServerEvent) => boolean): Promise<ServerEvent> {
    for (;;) {
      const event = await this.next();
      if (event === undefined) throw new Error("the stream ended");
      if (holds(event)) return event;
    }
  }

  [Symbol.dispose](): void {
    this.#stop.abort();
  }
}

async function* eventsOf(response: Response): AsyncGenerator<ServerEvent> {
  if (response.body === null) throw new Error("the response has no body");
  let text = "";
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    const blocks = text.split("\n\n");
    text = blocks.pop() ?? "";
    for (const block of blocks) {
      const event = parsed(block);
      if (event !== undefined) yield event;
    }
  }
}

/** undefined if it contains only comments. */
function parsed(block: string): ServerEvent | undefined {
  const fields = new Map<string, string>();
  for (const line of block.split("\n")) {
    const [, name, value] = /^(\w+): (.*)$/.exec(line) ?? [];
    if (name !== undefined && value !== undefined) fields.set(name, value);
  }
  if (fields.size === 0) return undefined;
  return { event: fields.get("event") ?? "", id: fields.get("id") ?? "", data: fields.get("data") ?? "" };
}
