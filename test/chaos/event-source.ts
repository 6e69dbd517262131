/** Reads the server-sent events of jobs across disconnects with Last-Event-ID, as a browser does. */
import { setTimeout as delay } from "node:timers/promises";
import { EventStream, type ServerEvent } from "../server/event-stream.ts";

/** Milliseconds between attempts to resume. */
const RESUME_MS = 100;

export class EventSource {
  /** Ids of changes in order of arrival. */
  readonly ids: string[] = [];
  /** Snapshots started; more than one means that events were missed. */
  snapshots = 0;
  /** Number of disconnects after which the stream was resumed. */
  resumed = 0;
  readonly #url: string;
  readonly #snapshotEnded = Promise.withResolvers<void>();
  #lastEventId = "";
  #stopped = false;
  #stream: EventStream | undefined;
  #running: Promise<void> = Promise.resolve();

  /** @param rest "http://HOST:PORT" */
  constructor(rest: string) {
    this.#url = `${rest}/v1/jobs:stream`;
  }

  /** Starts; resolves when the first snapshot is complete. */
  async start(): Promise<void> {
    this.#running = this.#watch();
    await this.#snapshotEnded.promise;
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#stream?.[Symbol.dispose]();
    await this.#running;
  }

  async #watch(): Promise<void> {
    for (let first = true; !this.#stopped; first = false) {
      try {
        await this.#read(first);
      } catch {
        // Every failure is a disconnect to recover from; the test detects what is lost.
      }
      await delay(RESUME_MS);
    }
  }

  async #read(first: boolean): Promise<void> {
    const headers = this.#lastEventId === "" ? {} : { "last-event-id": this.#lastEventId };
    using stream = await EventStream.open(this.#url, headers);
    this.#stream = stream;
    if (stream.response.ok && !first) this.resumed++;
    for (;;) {
      const event = await stream.next();
      if (event === undefined || this.#stopped) return;
      this.#see(event);
    }
  }

  #see({ event, id }: ServerEvent): void {
    if (id !== "") this.#lastEventId = id;
    if (event === "snapshotEnd") {
      this.snapshots++;
      this.#snapshotEnded.resolve();
    }
    if (event === "change" || event === "deleted") this.ids.push(id);
  }
}
