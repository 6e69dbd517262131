/** Spans on their way out: gathered, sent in the background, never waited for. */
import type { ReadableSpan } from "@opentelemetry/sdk-trace";
import { Counter, type Registry } from "prom-client";
import { BackOff } from "../platform/back-off.ts";
import { Background, pause, within } from "../platform/lifecycle.ts";
import type { Log } from "../platform/log.ts";
import { watchedGauge } from "../platform/metrics.ts";
import { type CollectorError, type CollectorOptions, sendSpans } from "./collector.ts";

/** Milliseconds in which spans gather. */
const EVERY_MS = 1_000;
/** Spans of one request: some 200 KB. */
const MOST_AT_ONCE = 512;
/** Spans that wait while they cannot be sent: some 16 MB. */
const MOST_WAITING = 8_192;
/** Milliseconds until spans are sent again that a collector may take later; doubled up to the longest. */
const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 30_000;
/** Milliseconds for what waits when it is closed. */
export const FLUSH_LIMIT_MS = 3_000;

export interface OutletOptions extends CollectorOptions {
  readonly registry: Registry;
  readonly log: Log;
}

/** The collector took it, there was no room or no time, or the collector does not take it. */
type Outcome = "sent" | "lost" | "refused";

export class Outlet {
  readonly #options: OutletOptions;
  readonly #spans: Counter<"outcome">;
  readonly #sending = new Background((signal, isStarted) => this.#send(signal, isStarted));
  readonly #cut = new AbortController();
  #waiting: ReadableSpan[] = [];
  readonly #backOff = new BackOff(FIRST_RETRY_MS, LONGEST_RETRY_MS, 0);
  /** Milliseconds until the next try; 0: the last one went well. */
  #retryMs = 0;
  #fails = false;

  constructor(options: OutletOptions) {
    this.#options = options;
    this.#spans = new Counter({
      name: "svc_trace_spans_total",
      help: "Recorded spans by what became of them.",
      labelNames: ["outcome"],
      registers: [options.registry],
    });
    for (const outcome of ["sent", "lost", "refused"] satisfies Outcome[]) this.#spans.inc({ outcome }, 0);
    const help = "Recorded spans that wait to be sent.";
    watchedGauge(options.registry, "svc_trace_spans_waiting", help, () => this.#waiting.length);
  }

  /** Never throws, and never waits. */
  readonly take = (span: ReadableSpan): void => {
    if (this.#waiting.length < MOST_WAITING) this.#waiting.push(span);
    else this.#count("lost", 1);
  };

  start(): void {
    this.#sending.start();
  }

  /** Sends what waits, for as long as there is time; the rest is lost. */
  async close(): Promise<void> {
    const flushed = within(FLUSH_LIMIT_MS, async () => {
      await this.#sending.stop();
      this.#retryMs = 0;
      while (this.#waiting.length > 0 && this.#retryMs === 0) await this.#sendSome();
    });
    if (!(await flushed)) this.#cut.abort();
    await this.#sending.stop();
    this.#count("lost", this.#waiting.length);
    this.#waiting = [];
  }

  async #send(signal: AbortSignal, isStarted: () => void): Promise<void> {
    isStarted();
    while (!signal.aborted) {
      const isMuch = this.#waiting.length >= MOST_AT_ONCE;
      if (this.#retryMs > 0 || !isMuch) await pause(this.#retryMs || EVERY_MS, signal);
      if (this.#waiting.length > 0 && !signal.aborted) await this.#sendSome();
    }
  }

  /** The oldest; those that may be taken later stay. */
  async #sendSome(): Promise<void> {
    const some = this.#waiting.slice(0, MOST_AT_ONCE);
    try {
      await sendSpans(this.#options, some, this.#cut.signal);
      this.#done(some.length, "sent");
      if (this.#fails) this.#options.log.info("spans are sent again");
      this.#fails = false;
      this.#retryMs = 0;
      this.#backOff.reset();
    } catch (thrown) {
      this.#failed(some.length, thrown as CollectorError);
    }
  }

  /** Told once, until spans are sent again. */
  #failed(count: number, err: CollectorError): void {
    if (!this.#fails) this.#options.log.warn({ detail: err.message }, "spans cannot be sent at the moment");
    this.#fails = true;
    this.#retryMs = this.#backOff.next();
    if (!err.later) this.#done(count, "refused");
  }

  #done(count: number, outcome: Outcome): void {
    this.#waiting.splice(0, count);
    this.#count(outcome, count);
  }

  #count(outcome: Outcome, count: number): void {
    this.#spans.inc({ outcome }, count);
  }
}
