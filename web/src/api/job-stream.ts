/**
 * Jobs that keep up to date by themselves: GET /v1/jobs:stream, followed while somebody looks, and
 * resumed after the last event that arrived whenever the connection is lost.
 */
import { useCallback, useMemo, useSyncExternalStore } from "react";
import { useSession } from "../session/session.ts";
import { type Credentials, fetchRaw, type Job } from "./client.ts";
import { eventsOf } from "./events.ts";
import { JobTable } from "./job-table.ts";
import { ApiError, unreachable } from "./problem.ts";

export type Connection =
  /** Asked for, and not answered yet. */
  | { readonly state: "connecting" }
  | { readonly state: "live" }
  /** What is shown may be old: the connection is lost `since` then, in milliseconds since 1970, and is tried again. */
  | { readonly state: "lost"; readonly since: number; readonly error: ApiError }
  /** Refused: to try again would change nothing. */
  | { readonly state: "refused"; readonly error: ApiError };

export interface LiveJobs {
  /** In no order; a new array with every change. */
  readonly jobs: readonly Job[];
  /** Whether all that there were have arrived once: until then there may be more. */
  readonly isWhole: boolean;
  readonly connection: Connection;
}

/** The controller says something every 15 s. */
const SILENCE_MS = 40_000;
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 15_000;
/** A connection that held so long was a good one, even if nothing happened. */
const GOOD_MS = 5_000;
/** Browsers keep six connections to a server at most: tabs in the background would use them up. */
const HIDDEN_MS = 20_000;
/** Why a connection is left that may be dead without anybody having said so. */
const LOOK_AGAIN = new Error("the network has changed");

export class JobStream {
  readonly #credentials: Credentials;
  readonly #path: string;
  readonly #table = new JobTable();
  readonly #listeners = new Set<() => void>();
  #view: LiveJobs = { jobs: [], isWhole: false, connection: { state: "connecting" } };
  #connection: Connection = { state: "connecting" };
  #running: AbortController | undefined;
  /** Ends the pause or the connection of now. */
  #lookAgain: () => void = () => {};
  #hiding: ReturnType<typeof setTimeout> | undefined;
  #isTelling = false;

  /** `ids`: up to 100 jobs; none: all of the tenant's. */
  constructor(credentials: Credentials, ids: readonly string[] = []) {
    const query = new URLSearchParams(ids.map((id) => ["id", id]));
    this.#credentials = credentials;
    this.#path = ids.length === 0 ? "/v1/jobs:stream" : `/v1/jobs:stream?${query}`;
  }

  get view(): LiveJobs {
    return this.#view;
  }

  /** Follows while anybody is subscribed. Returns what ends it. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    if (this.#listeners.size === 1) this.#open();
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0) this.#close();
    };
  }

  /** A job as an answer told it: shown at once, and not only when the stream tells it too. */
  put(job: Job): void {
    this.#table.put(job);
    this.#changed();
  }

  /** Tries now what would be tried later, or not at all. */
  retry(): void {
    this.#credentials.tryNow();
    if (this.#connection.state !== "refused") {
      this.#lookAgain();
      return;
    }
    this.#stop();
    this.#start();
  }

  #open(): void {
    addEventListener("online", this.#networkChanged);
    addEventListener("offline", this.#networkChanged);
    document.addEventListener("visibilitychange", this.#visibilityChanged);
    this.#start();
  }

  #close(): void {
    removeEventListener("online", this.#networkChanged);
    removeEventListener("offline", this.#networkChanged);
    document.removeEventListener("visibilitychange", this.#visibilityChanged);
    clearTimeout(this.#hiding);
    this.#stop();
  }

  /** A hint only: a controller on this machine is reached without any network. */
  readonly #networkChanged = (): void => this.#lookAgain();

  readonly #visibilityChanged = (): void => {
    clearTimeout(this.#hiding);
    if (document.hidden) this.#hiding = setTimeout(() => this.#stop(), HIDDEN_MS);
    else if (this.#running === undefined) this.#start();
    else if (this.#connection.state === "lost") this.#lookAgain();
  };

  #start(): void {
    this.#running = new AbortController();
    if (this.#connection.state !== "lost") this.#become({ state: "connecting" });
    void this.#run(this.#running.signal);
  }

  #stop(): void {
    this.#running?.abort();
    this.#running = undefined;
  }

  async #run(signal: AbortSignal): Promise<void> {
    let pauseMs = FIRST_PAUSE_MS;
    while (!signal.aborted) {
      const begun = performance.now();
      const { place } = this.#table;
      const thrown = await this.#follow(signal).catch((error: unknown) => error);
      if (signal.aborted) return;
      if (thrown === LOOK_AGAIN) continue;
      const error = errorFrom(thrown);
      if (isFinal(error)) return this.#become({ state: "refused", error });
      this.#lost(error);
      if (this.#table.place !== place || performance.now() - begun > GOOD_MS) pauseMs = FIRST_PAUSE_MS;
      // Spread, so that not everybody comes back to a controller at once.
      await this.#pause(pauseMs * (0.5 + Math.random()), signal);
      pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS);
    }
  }

  /** Reads one connection to its end. Throws why it ended, unless it ended without a word. */
  async #follow(signal: AbortSignal): Promise<void> {
    const own = new AbortController();
    this.#lookAgain = () => own.abort(LOOK_AGAIN);
    let silence: ReturnType<typeof setTimeout> | undefined;
    const heard = () => {
      clearTimeout(silence);
      silence = setTimeout(() => own.abort(unreachable()), SILENCE_MS);
    };
    heard();
    try {
      const body = await this.#connect(AbortSignal.any([signal, own.signal]));
      this.#table.begin();
      this.#become({ state: "live" });
      for await (const event of eventsOf(body.pipeThrough(listening(heard)))) {
        if (signal.aborted) return;
        this.#table.apply(event);
        this.#changed();
      }
    } finally {
      clearTimeout(silence);
    }
  }

  async #connect(signal: AbortSignal): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> {
    const { place } = this.#table;
    const resume: Record<string, string> = place === "" ? {} : { "last-event-id": place };
    const headers = { accept: "text/event-stream", ...resume };
    const { body } = await fetchRaw(this.#credentials, this.#path, { headers, signal });
    if (body === null) throw unreachable();
    return body;
  }

  async #pause(pauseMs: number, signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, pauseMs);
    const wake = () => resolve();
    this.#lookAgain = wake;
    signal.addEventListener("abort", wake);
    await promise;
    signal.removeEventListener("abort", wake);
    clearTimeout(timer);
  }

  #lost(error: ApiError): void {
    const since = this.#connection.state === "lost" ? this.#connection.since : Date.now();
    this.#become({ state: "lost", since, error });
  }

  #become(connection: Connection): void {
    this.#connection = connection;
    this.#changed();
  }

  /** Tells what has changed once a frame, however much it was. */
  #changed(): void {
    if (this.#isTelling) return;
    this.#isTelling = true;
    requestAnimationFrame(() => {
      this.#isTelling = false;
      const { jobs, isWhole } = this.#table;
      this.#view = { jobs, isWhole, connection: this.#connection };
      for (const listener of this.#listeners) listener();
    });
  }
}

function listening(heard: () => void): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
  return new TransformStream({
    transform(chunk, controller) {
      heard();
      controller.enqueue(chunk);
    },
  });
}

/** What broke a connection off while it was read is the network's TypeError, or an end without a word. */
function errorFrom(thrown: unknown): ApiError {
  return thrown instanceof ApiError ? thrown : unreachable();
}

/** A token may be renewed while the session is not over, and a limit or a fault passes. */
function isFinal({ status, code }: ApiError): boolean {
  if (code === "SESSION_OVER") return true;
  return status >= 400 && status < 500 && ![401, 408, 429].includes(status);
}

/** One stream of all jobs for each session: a page that is opened again shows at once what was known. */
const streams = new WeakMap<Credentials, JobStream>();

function streamOf(credentials: Credentials): JobStream {
  const stream = streams.get(credentials) ?? new JobStream(credentials);
  streams.set(credentials, stream);
  return stream;
}

/** `ids`: only these, up to 100; undefined: all jobs. Results and pieces of work are not streamed. */
export function useJobStream(ids?: readonly string[]): JobStream {
  const { credentials } = useSession();
  const key = ids?.join("\n");
  return useMemo(
    () => (key === undefined ? streamOf(credentials) : new JobStream(credentials, key.split("\n"))),
    [credentials, key],
  );
}

export function useLiveJobs(stream: JobStream): LiveJobs {
  return useSyncExternalStore(
    useCallback((listener) => stream.subscribe(listener), [stream]),
    () => stream.view,
  );
}
