/** Checks what must hold of every job after a run; each violation is one line. */
import { hash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type { DescMessage, DescMethodUnary, MessageInitShape, MessageShape } from "@bufbuild/protobuf";
import { Connection } from "../../src/client/connection/connection.ts";
import {
  type Job,
  Job_State,
  Job_StateSchema,
  JobService,
  type JobWork,
  JobWork_Kind,
  JobWork_State,
  JobWork_StateSchema,
  Still_State,
} from "../../src/gen/proto/svc/v1/job_pb.ts";
import {
  type FrameScore,
  type ScoreResult,
  ScoreResultSchema,
} from "../../src/gen/proto/svc/v1/scoring_pb.ts";
import { insist } from "./insist.ts";
import type { Acknowledged } from "./load.ts";
import { isEnd, type SeenEvent } from "./watcher.ts";

/** Failures of a good pair that injected faults explain: its task failed as often as allowed. */
const STRUCK: ReadonlySet<string> = new Set(["LEASE_LOST", "SCORER_FAILED"]);
/** Failures of a task until its job fails. */
export const MAX_FAILURES = 4;
const PAGE = 500;
const OVER: ReadonlySet<JobWork_State> = new Set([
  ...[JobWork_State.DONE, JobWork_State.FAILED, JobWork_State.CANCELLED],
]);

const SCORING: ReadonlySet<JobWork_Kind> = new Set([JobWork_Kind.SEGMENT, JobWork_Kind.WHOLE]);

/** For each state, the states that may follow; a change within a state is allowed too. */
const FOLLOWS: Readonly<Record<number, readonly Job_State[]>> = {
  [Job_State.QUEUED]: [...[Job_State.QUEUED, Job_State.RUNNING, Job_State.FAILED, Job_State.CANCELLED]],
  // Its stills become ready, or fail.
  [Job_State.SUCCEEDED]: [Job_State.SUCCEEDED],
  [Job_State.RUNNING]: [...[Job_State.RUNNING, Job_State.SUCCEEDED, Job_State.FAILED, Job_State.CANCELLED]],
};

export interface Audit {
  readonly faults: readonly string[];
  readonly ends: Readonly<Record<string, number>>;
  /** Good jobs that failed because a task was hit as often as allowed. */
  readonly struckDown: readonly string[];
  readonly segmentsScored: number;
  readonly framesCompared: number;
  readonly stillsCompared: number;
  readonly attemptsAboveFirst: number;
}

export class Auditor {
  readonly faults: string[] = [];
  readonly ends: Record<string, number> = {};
  readonly struckDown: string[] = [];
  segmentsScored = 0;
  framesCompared = 0;
  stillsCompared = 0;
  attemptsAboveFirst = 0;
  readonly #connection: Connection;
  /** SHA-256 of the still of a frame of a pair. */
  readonly #images = new Map<string, string>();

  constructor(address: string) {
    this.#connection = new Connection({ address });
  }

  close(): void {
    this.#connection[Symbol.dispose]();
  }

  async audit(acknowledged: readonly Acknowledged[], events: readonly SeenEvent[]): Promise<Audit> {
    await this.#noneMissingNoneTwice(acknowledged);
    const byJob = Map.groupBy(events, ({ jobId }) => jobId);
    for (const one of acknowledged) {
      const { job } = await this.#call(JobService.method.getJob, { id: one.id });
      if (job === undefined) {
        this.faults.push(`${one.id}: answer without a job`);
        continue;
      }
      const end = nameOf(job.state);
      this.ends[end] = (this.ends[end] ?? 0) + 1;
      this.#history(job, byJob.get(one.id) ?? []);
      this.#work(job);
      await this.#end(one, job);
    }
    const ids = new Set(events.map(({ eventId }) => eventId));
    if (ids.size !== events.length) this.faults.push(`${events.length - ids.size} event ids occurred twice`);
    return this;
  }

  /** The list contains exactly the acknowledged jobs: a repeated submission is one job. */
  async #noneMissingNoneTwice(acknowledged: readonly Acknowledged[]): Promise<void> {
    const expected = new Set(acknowledged.map(({ id }) => id));
    if (expected.size !== acknowledged.length) this.faults.push("two keys were answered with the same job");
    const listed = await this.#listed();
    for (const id of expected) if (!listed.has(id)) this.faults.push(`${id}: acknowledged, but missing`);
    for (const id of listed) if (!expected.has(id)) this.faults.push(`${id}: listed, but never acknowledged`);
  }

  async #listed(): Promise<Set<string>> {
    const ids = new Set<string>();
    let pageToken = "";
    do {
      const page = await this.#call(JobService.method.listJobs, { pageSize: PAGE, pageToken });
      for (const { id } of page.jobs) ids.add(id);
      pageToken = page.nextPageToken;
    } while (pageToken !== "");
    return ids;
  }

  /** The watcher received every change once and in order, up to the one that ended the job, and none after. */
  #history(job: Job, events: readonly SeenEvent[]): void {
    const fault = (what: string) => this.faults.push(`${job.id}: ${what}: ${historyOf(events)}`);
    if (events[0]?.revision !== 1) fault("the first event is not revision 1");
    for (const [index, event] of events.entries()) {
      const before = events[index - 1];
      if (before === undefined) continue;
      if (event.revision !== before.revision + 1)
        fault(`revision ${event.revision} follows ${before.revision}`);
      if (!FOLLOWS[before.state]?.includes(event.state)) {
        fault(`${nameOf(event.state)} follows ${nameOf(before.state)}`);
      }
    }
    const last = events.at(-1);
    if (last?.revision !== job.revision || last.state !== job.state)
      fault("the last event differs from the job");
    if (!isEnd(job.state)) fault("it has not ended");
  }

  /** No task of an ended job waits or runs, and its segments cover its frames exactly once. */
  #work({ id, state, work, segmentsDone, segmentsTotal }: Job): void {
    for (const one of work) {
      if (!OVER.has(one.state))
        this.faults.push(
          `${id}: ended, but one of its tasks is ${JobWork_StateSchema.value[one.state]?.localName}`,
        );
      this.attemptsAboveFirst += Math.max(0, one.attempt - 1);
    }
    if (state !== Job_State.SUCCEEDED) return;
    const done = work.filter((one) => SCORING.has(one.kind) && one.state === JobWork_State.DONE);
    this.segmentsScored += done.length;
    if (!isRow(done)) this.faults.push(`${id}: its segments have gaps or overlaps`);
    if (segmentsDone !== segmentsTotal) {
      this.faults.push(`${id}: succeeded with ${segmentsDone} of ${segmentsTotal} segments`);
    }
  }

  async #end({ order, cancelledAs }: Acknowledged, job: Job): Promise<void> {
    const { state, error } = job;
    const fault = (what: string) =>
      this.faults.push(`${job.id} (${order.kind}): ${what}; ${nameOf(state)} ${JSON.stringify(error)}`);
    if (cancelledAs !== undefined && state !== Job_State.CANCELLED)
      fault("its cancellation was acknowledged");
    if (cancelledAs === undefined && state === Job_State.CANCELLED) fault("nobody cancelled it");
    if (state === Job_State.SUCCEEDED) {
      if (order.kind === "faulty") fault("it cannot be scored");
      else await Promise.all([this.#compare(job, order.pair.truth), this.#stills(job)]);
    }
    if (state !== Job_State.FAILED) return;
    if (order.kind === "faulty" && error?.code === order.pair.code) return;
    if (this.#wasStruckDown(job)) this.struckDown.push(`${job.id}: ${error?.code}: ${error?.message}`);
    else fault("it should not have failed");
  }

  /**
   * Stills of a job are ready or failed by injected faults; those of one frame of a pair are the same in every job. A job
   * that was answered has the stills that the earlier job had by then.
   */
  async #stills({ id, spec, work, reuse }: Job): Promise<void> {
    const { stills } = await this.#call(JobService.method.listStills, { id });
    if (stills.length === 0 && reuse?.jobId === undefined)
      this.faults.push(`${id}: succeeded without stills`);
    for (const { frame, side, state, error } of stills) {
      if (state === Still_State.READY) {
        const { image } = await this.#call(JobService.method.getStill, { id, frame, side });
        const of = [spec?.reference, spec?.distorted, frame, side].join(" ");
        const digest = hash("sha256", image, "hex");
        const seen = this.#images.get(of) ?? digest;
        this.#images.set(of, seen);
        this.stillsCompared++;
        if (seen !== digest)
          this.faults.push(`${id}: the still of frame ${frame} differs from another job's`);
        continue;
      }
      const struck = work.some(
        ({ kind, attempt }) => kind === JobWork_Kind.STILLS && attempt >= MAX_FAILURES,
      );
      if (struck && STRUCK.has(error?.code ?? "")) continue;
      this.faults.push(`${id}: the still of frame ${frame} is ${state}: ${error?.code}: ${error?.message}`);
    }
  }

  /** The last fault may still have an effect: a database closes its connections a moment later. */
  async #call<Input extends DescMessage, Output extends DescMessage>(
    method: DescMethodUnary<Input, Output>,
    request: MessageInitShape<Input>,
  ): Promise<MessageShape<Output>> {
    return (await insist(() => this.#connection.call(method, request))).answer;
  }

  async #frames(id: string): Promise<FrameScore[]> {
    const frames: FrameScore[] = [];
    for await (const batch of this.#connection.stream(JobService.method.getJobFrames, { id })) {
      frames.push(...(batch.frames?.frames ?? []));
    }
    return frames;
  }

  #wasStruckDown({ error, work }: Job): boolean {
    if (error?.code === "POOLING_FAILED") return true;
    return STRUCK.has(error?.code ?? "") && work.some(({ attempt }) => attempt >= MAX_FAILURES);
  }

  /** Result and frames have exactly the digits of the undisturbed run. */
  async #compare({ id, score, result }: Job, truth: ScoreResult): Promise<void> {
    if (result === undefined || score !== truth.score) {
      this.faults.push(`${id}: score ${score}, ${result === undefined ? "without" : "with"} a result`);
      return;
    }
    const { answer: frames } = await insist(() => this.#frames(id));
    this.framesCompared += frames.length;
    const found: ScoreResult = { ...result, frames, durationMs: truth.durationMs };
    for (const { name, localName } of ScoreResultSchema.fields) {
      const field = localName as keyof ScoreResult;
      if (isDeepStrictEqual(found[field], truth[field])) continue;
      this.faults.push(`${name} differs: ${shown(found[field])} instead of ${shown(truth[field])}`);
    }
  }
}

const SHOWN = 500;

function shown(value: unknown): string {
  return (JSON.stringify(value) ?? "none").slice(0, SHOWN);
}

/** Whether tasks cover the frames from 0 on without gaps. */
function isRow(work: readonly JobWork[]): boolean {
  let next = 0;
  for (const { firstFrame, frameCount } of [...work].sort((a, b) => a.firstFrame - b.firstFrame)) {
    if (firstFrame !== next) return false;
    next += frameCount;
  }
  return work.length > 0;
}

function nameOf(state: Job_State): string {
  return Job_StateSchema.value[state]?.localName ?? String(state);
}

function historyOf(events: readonly SeenEvent[]): string {
  return events.map(({ revision, state }) => `${revision} ${nameOf(state)}`).join(", ");
}
