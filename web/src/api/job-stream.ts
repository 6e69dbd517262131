/**
 * Live jobs: follows GET /v1/jobs:stream while there are subscribers, and after a lost connection resumes after the
 * last event received.
 */
import { useCallback, useMemo, useSyncExternalStore } from "react";
import { useSession } from "../session/session.ts";
import { type Credentials, fetchRaw, type Job } from "./client.ts";
import { eventsOf } from "./events.ts";
import { JobTable } from "./job-table.ts";
import { ApiError, unreachable } from "./problem.ts";

export type Connection =
  /** Requested and not yet answered. */
  | { readonly state: "connecting" }
  | { readonly state: "live" }
  /**
   * The connection was lost at `since` (milliseconds since 1970) and is being retried, so data may be out of
   * date.
   */
  | { readonly state: "lost"; readonly since: number; readonly error: ApiError }
  /** Refused; retrying would change nothing. */
  | { readonly state: "refused"; readonly error: ApiError };

export interface LiveJobs {
  /** In no particular order; a new array with every change. */
  readonly jobs: readonly Job[];
  /** Whether a whole snapshot has arrived; until then there may be more jobs. */
  readonly isWhole: boolean;
  readonly connection: Connection;
}

/** Milliseconds without data after which a connection is dead. The controller sends something at least every 15 s. */
const SILENCE_MS = 40_000;
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 15_000;
/** Milliseconds after which a connection counts as working, even without events. */
const GOOD_MS = 5_000;
/**
 * Milliseconds until a hidden tab disconnects. Browsers allow at most six connections to a server; background tabs
 * would use them up.
 */
const HIDDEN_MS = 20_000;
/** Aborts a connection that may be dead without having reported an error. */
const LOOK_AGAIN = new Error("the network has changed");

export class JobStream {
  readonly #credentials: Credentials;
  readonly #path: string;
  readonly #table = new JobTable();
  readonly #listeners = new Set<() => void>();
  #view: LiveJobs = { jobs: [], isWhole: false, connection: { state: "connecting" } };
  #connection: Connection = { state: "connecting" };
  #running: AbortController | undefined;
  /** Ends the current pause or connection, so that the next attempt follows at once. */
  #lookAgain: () => void = () => {};
  #hiding: ReturnType<typeof setTimeout> | undefined;
  #isTelling = false;

  /** `ids`: up to 100 jobs; empty: all jobs of the tenant. */
  constructor(credentials: Credentials, ids: readonly string[] = []) {
    const query = new URLSearchParams(ids.map((id) => ["id", id]));
    this.#credentials = credentials;
    this.#path = ids.length === 0 ? "/v1/jobs:stream" : `/v1/jobs:stream?${query}`;
  }

  get view(): LiveJobs {
    return this.#view;
  }

  /** Follows the stream while there are subscribers. Returns the function that unsubscribes. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    if (this.#listeners.size === 1) this.#open();
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0) this.#close();
    };
  }

  /** Adds a job from a response, so that it is shown before the stream delivers it. */
  put(job: Job): void {
    this.#table.put(job);
    this.#changed();
  }

  /** Retries now, even if the next attempt would be later or never. */
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

  /** A network event is only a hint: a controller on the same machine is reachable without a network. */
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
      // Randomized, so that clients do not return to a controller all at once.
      await this.#pause(pauseMs * (0.5 + Math.random()), signal);
      pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS);
    }
  }

  /** Reads one connection until it ends. Throws the reason, unless it ended without one. */
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

  /** Notifies listeners at most once per animation frame. */
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

/** A connection that breaks while it is read throws the network's TypeError or ends without an error. */
function errorFrom(thrown: unknown): ApiError {
  return thrown instanceof ApiError ? thrown : unreachable();
}

/**
 * Whether retrying is useless. Some errors are temporary: a token may be renewed while the session lasts, and
 * rate limits and server faults pass.
 */
function isFinal({ status, code }: ApiError): boolean {
  if (code === "SESSION_OVER") return true;
  return status >= 400 && status < 500 && ![401, 408, 429].includes(status);
}

/** One stream of all jobs per session, so that a page that is opened again shows the known jobs at once. */
const streams = new WeakMap<Credentials, JobStream>();

function streamOf(credentials: Credentials): JobStream {
  const stream = streams.get(credentials) ?? new JobStream(credentials);
  streams.set(credentials, stream);
  return stream;
}

/** `ids`: only these jobs, up to 100; undefined: all jobs. Results and tasks are not streamed. */
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
