/** Exports spans: collects them and sends them in the background; callers never wait. */
import type { ReadableSpan } from "@opentelemetry/sdk-trace";
import { Counter, type Registry } from "prom-client";
import { BackOff } from "../platform/concurrency/back-off.ts";
import { Background, pause, within } from "../platform/concurrency/lifecycle.ts";
import type { Log } from "../platform/observability/log.ts";
import { watchedGauge } from "../platform/observability/metrics.ts";
import { type CollectorError, type CollectorOptions, sendSpans } from "./collector.ts";

/** Milliseconds between two requests. */
const EVERY_MS = 1_000;
/** Spans per request; some 200 KB. */
const MAX_AT_ONCE = 512;
/** Maximum spans that wait to be sent; some 16 MB. */
const MAX_WAITING = 8_192;
/** Milliseconds until spans are sent again that may be accepted later; doubled up to the longest. */
const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 30_000;
/** Milliseconds to send waiting spans on close. */
export const FLUSH_LIMIT_MS = 3_000;

export interface SpanExporterOptions extends CollectorOptions {
  readonly registry: Registry;
  readonly log: Log;
}

/** sent: accepted; lost: no capacity or time; refused: rejected by the collector. */
type Outcome = "sent" | "lost" | "refused";

export class SpanExporter {
  readonly #options: SpanExporterOptions;
  readonly #spans: Counter<"outcome">;
  readonly #sending = new Background((signal, isStarted) => this.#send(signal, isStarted));
  readonly #cut = new AbortController();
  #waiting: ReadableSpan[] = [];
  readonly #backOff = new BackOff(FIRST_RETRY_MS, LONGEST_RETRY_MS, 0);
  /** Milliseconds until the next attempt; 0: the last one succeeded. */
  #retryMs = 0;
  #fails = false;

  constructor(options: SpanExporterOptions) {
    this.#options = options;
    this.#spans = new Counter({
      name: "svc_trace_spans_total",
      help: "Recorded spans by outcome.",
      labelNames: ["outcome"],
      registers: [options.registry],
    });
    for (const outcome of ["sent", "lost", "refused"] satisfies Outcome[]) this.#spans.inc({ outcome }, 0);
    const help = "Recorded spans waiting to be sent.";
    watchedGauge(options.registry, "svc_trace_spans_waiting", help, () => this.#waiting.length);
  }

  /** Never throws or waits. */
  readonly take = (span: ReadableSpan): void => {
    if (this.#waiting.length < MAX_WAITING) this.#waiting.push(span);
    else this.#count("lost", 1);
  };

  start(): void {
    this.#sending.start();
  }

  /** Sends waiting spans while there is time; the rest is lost. */
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
      const isMuch = this.#waiting.length >= MAX_AT_ONCE;
      if (this.#retryMs > 0 || !isMuch) await pause(this.#retryMs || EVERY_MS, signal);
      if (this.#waiting.length > 0 && !signal.aborted) await this.#sendSome();
    }
  }

  /** Sends the oldest spans; keeps those that may be accepted later. */
  async #sendSome(): Promise<void> {
    const some = this.#waiting.slice(0, MAX_AT_ONCE);
    try {
      await sendSpans(this.#options, some, this.#cut.signal);
      this.#done(some.length, "sent");
      if (this.#fails) this.#options.log.info("spans are exported again");
      this.#fails = false;
      this.#retryMs = 0;
      this.#backOff.reset();
    } catch (thrown) {
      this.#failed(some.length, thrown as CollectorError);
    }
  }

  /** Logs once until spans are accepted again. */
  #failed(count: number, err: CollectorError): void {
    if (!this.#fails) this.#options.log.warn({ detail: err.message }, "failed to export spans");
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
