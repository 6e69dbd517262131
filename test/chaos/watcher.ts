/** Reads the stream of jobs across outages, resuming by event id, and records every event in order. */
import { setTimeout as delay } from "node:timers/promises";
import { Connection } from "../../src/client/connection/connection.ts";
import {
  Job_State,
  JobService,
  type StreamJobsResponse,
  StreamJobsResponse_Kind,
} from "../../src/gen/proto/svc/v1/job_pb.ts";

/** Milliseconds between attempts to resume. */
const RESUME_MS = 100;

export interface SeenEvent {
  readonly eventId: string;
  readonly jobId: string;
  readonly revision: number;
  readonly state: Job_State;
  readonly segmentsDone: number;
}

export class Watcher {
  readonly events: SeenEvent[] = [];
  /** Latest state of each job. */
  readonly states = new Map<string, Job_State>();
  /** Succeeded jobs whose stills were reported as ready or failed, or that were answered with earlier results. */
  readonly shown = new Set<string>();
  /** Number of disconnects after which the stream was resumed. */
  resumed = 0;
  /** Snapshots started; more than one means that events were missed. */
  snapshots = 0;
  readonly #connection: Connection;
  readonly #stop = new AbortController();
  readonly #snapshotEnded = Promise.withResolvers<void>();
  #afterEventId = "";
  #cut = false;
  #running: Promise<void> = Promise.resolve();

  constructor(address: string) {
    this.#connection = new Connection({ address });
  }

  /** Starts; resolves when the first snapshot is complete. */
  async start(): Promise<void> {
    this.#running = this.#watch();
    await this.#snapshotEnded.promise;
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
    this.#connection[Symbol.dispose]();
  }

  async #watch(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      try {
        const request = { afterEventId: this.#afterEventId };
        for await (const event of this.#connection.stream(JobService.method.streamJobs, request, {
          signal,
        })) {
          this.#see(event);
        }
      } catch {
        // Every failure is an outage to recover from; the audit detects what is lost.
      }
      this.#cut = true;
      await delay(RESUME_MS);
    }
  }

  #see({ kind, eventId, job }: StreamJobsResponse): void {
    if (this.#cut) this.resumed++;
    this.#cut = false;
    if (eventId !== "") this.#afterEventId = eventId;
    if (kind === StreamJobsResponse_Kind.SNAPSHOT_END) {
      this.snapshots++;
      this.#snapshotEnded.resolve();
    }
    if (job === undefined) return;
    const { id, revision, state, segmentsDone, reuse } = job;
    this.events.push({ eventId, jobId: id, revision, state, segmentsDone });
    const isAnswered = reuse?.jobId !== undefined;
    if (state === Job_State.SUCCEEDED && (isAnswered || this.states.get(id) === state)) this.shown.add(id);
    this.states.set(id, state);
  }
}

const TERMINAL: ReadonlySet<Job_State> = new Set([
  Job_State.SUCCEEDED,
  Job_State.FAILED,
  Job_State.CANCELLED,
]);

export function isEnd(state: Job_State | undefined): boolean {
  return state !== undefined && TERMINAL.has(state);
}
