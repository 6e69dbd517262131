/** Loads the per-frame scores of a job into a table as segments complete. */
import { chunksOf } from "../../api/chunks.ts";
import { type Credentials, fetchRaw, type Job } from "../../api/client.ts";
import { unreachable } from "../../api/problem.ts";
import { CsvReader } from "../../chart/data/csv-reader.ts";
import { FrameTable } from "../../chart/data/frame-table.ts";
import { hasEnded } from "../../jobs/job-facts.ts";
import { type FrameRange, framesOf, missingRanges } from "./frame-ranges.ts";

export interface Loading {
  /** undefined until the number of frames is known. */
  readonly table: FrameTable | undefined;
  readonly isLoading: boolean;
  readonly error: Error | undefined;
}

/** Arriving scores are drawn at this interval, in milliseconds. */
const DRAW_MS = 120;
/** Reading yields to the page regularly: at most this many milliseconds and bytes at a time. */
const WORK_MS = 8;
const PIECE = 65_536;
const PAUSE_AFTER_FAULT_MS = 3_000;

export class FrameLoader {
  readonly #credentials: Credentials;
  readonly #id: string;
  readonly #keeps: ((metric: string) => boolean) | undefined;
  readonly #watchers = new Set<() => void>();
  #loading: Loading = { table: undefined, isLoading: false, error: undefined };
  /** Tasks whose scores are in the table. */
  #held: readonly FrameRange[] = [];
  #job: Job | undefined;
  #running: AbortController | undefined;

  /** `keeps` selects the metrics; undefined: all. */
  constructor(credentials: Credentials, id: string, keeps?: (metric: string) => boolean) {
    this.#credentials = credentials;
    this.#id = id;
    this.#keeps = keeps;
  }

  get loading(): Loading {
    return this.#loading;
  }

  watch(look: () => void): () => void {
    this.#watchers.add(look);
    return () => {
      this.#watchers.delete(look);
      if (this.#watchers.size === 0) this.#stop();
    };
  }

  /** Loads the scores that this state of the job has and the table lacks. */
  follow(job: Job): void {
    this.#job = job;
    if (this.#running === undefined) void this.#run();
  }

  #stop(): void {
    this.#running?.abort();
    this.#running = undefined;
  }

  async #run(): Promise<void> {
    const running = new AbortController();
    this.#running = running;
    try {
      for (let range = this.#next(); range !== undefined; range = this.#next()) {
        const { table } = this.#loading;
        if (table === undefined) return;
        this.#become({ isLoading: true });
        try {
          await this.#load(table, range, running.signal);
          this.#held = [...this.#held, ...range.segments];
          this.#become({ error: undefined });
        } catch (error) {
          if (running.signal.aborted) return;
          this.#become({
            error: error instanceof Error && !(error instanceof DOMException) ? error : unreachable(),
          });
          await pause(PAUSE_AFTER_FAULT_MS, running.signal);
          if (running.signal.aborted) return;
        }
      }
    } finally {
      if (this.#running === running) {
        this.#running = undefined;
        this.#become({ isLoading: false });
      }
    }
  }

  /** The next range to load. Starts a new table if the segments have changed. */
  #next(): (FrameRange & { readonly segments: readonly FrameRange[] }) | undefined {
    if (this.#job === undefined) return undefined;
    const { total, step, done } = framesOf(this.#job);
    if (total === 0) return undefined;
    const { table } = this.#loading;
    const isStale = !this.#held.every((held) => done.some((range) => isSame(range, held)));
    if (table?.total !== total || isStale) {
      this.#held = [];
      this.#become({ table: new FrameTable(total, step, this.#keeps) });
    }
    return missingRanges(done, this.#held, hasEnded(this.#job))[0];
  }

  async #load(table: FrameTable, { first, count }: FrameRange, signal: AbortSignal): Promise<void> {
    const query = new URLSearchParams({
      format: "csv",
      firstFrame: String(first),
      frameCount: String(Math.ceil(count / table.step)),
    });
    const { body } = await fetchRaw(this.#credentials, `/v1/jobs/${this.#id}/frames?${query}`, { signal });
    if (body === null) return;
    const writer = table.writer();
    const reader = new CsvReader(writer);
    let drawn = performance.now();
    let rested = drawn;
    for await (const bytes of chunksOf(body)) {
      for (let start = 0; start < bytes.length; start += PIECE) {
        reader.push(bytes.subarray(start, start + PIECE));
        if (performance.now() - rested < WORK_MS || document.hidden) continue;
        await rest();
        signal.throwIfAborted();
        rested = performance.now();
      }
      if (performance.now() - drawn < DRAW_MS) continue;
      writer.commit();
      drawn = performance.now();
    }
    reader.end();
    writer.commit();
  }

  #become(change: Partial<Loading>): void {
    this.#loading = { ...this.#loading, ...change };
    for (const look of this.#watchers) look();
  }
}

function isSame(one: FrameRange, other: FrameRange): boolean {
  return one.first === other.first && one.count === other.count;
}

/** Yields to the browser's event loop. */
function rest(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve));
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const end = () => {
    clearTimeout(timer);
    signal.removeEventListener("abort", end);
    resolve();
  };
  const timer = setTimeout(end, ms);
  signal.addEventListener("abort", end);
  return promise;
}
