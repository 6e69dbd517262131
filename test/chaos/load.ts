/** Clients that submit jobs steadily and do not give up: every submission is repeated, with its key, until it is acknowledged. */
import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { Connection } from "../../src/client/connection.ts";
import { type Job, Job_State, JobService } from "../../src/gen/proto/svc/v1/job_pb.ts";
import { Failure } from "../../src/platform/failure.ts";
import { insist } from "./insist.ts";
import type { ChaosMedia, FaultyPair, GoodPair } from "./media.ts";
import { isEnd, type Watcher } from "./watcher.ts";

/** Jobs to score that have not ended, at most: enough that every node has work at all times. */
const OUTSTANDING = 10;
/** Above that only jobs at fault, which cost little, up to so many: there is always somebody who submits. */
const OUTSTANDING_FAULTY = 40;
/** Milliseconds between submissions, at most. */
const LONGEST_PAUSE_MS = 300;
/** Milliseconds for one attempt. */
const CALL_MS = 3_000;
/** One job in so many is at fault, one is cancelled; the first of a run are one of each. */
const KINDS = 5;

export type Order =
  | { readonly kind: "good"; readonly pair: GoodPair }
  | { readonly kind: "faulty"; readonly pair: FaultyPair }
  | { readonly kind: "cancelled"; readonly pair: GoodPair };

/** A job that the service acknowledged. */
export interface Acknowledged {
  readonly key: string;
  readonly id: string;
  readonly order: Order;
  /** Attempts until it was acknowledged. */
  readonly attempts: number;
  /** Whether an earlier attempt, of which nobody heard, had stored it. */
  readonly existed: boolean;
  /** The state that the answer to its cancel told; undefined: it was not cancelled, or had ended before. */
  cancelledAs: Job_State | undefined;
}

export class Load {
  readonly acknowledged: Acknowledged[] = [];
  readonly #connection: Connection;
  readonly #media: ChaosMedia;
  readonly #watcher: Watcher;
  readonly #random: (below: number) => number;
  readonly #cancels = new Set<Promise<void>>();

  constructor(
    address: string,
    { media, watcher, random }: { media: ChaosMedia; watcher: Watcher; random: (below: number) => number },
  ) {
    this.#connection = new Connection({ address });
    this.#media = media;
    this.#watcher = watcher;
    this.#random = random;
  }

  /** Jobs that have not been seen to end. */
  get outstanding(): readonly Acknowledged[] {
    return this.acknowledged.filter(({ id }) => !isEnd(this.#watcher.states.get(id)));
  }

  /** Jobs of which something is still to come: their end, or the stills of those that succeeded. */
  get unsettled(): readonly Acknowledged[] {
    const { states, shown } = this.#watcher;
    const isToCome = (id: string) => states.get(id) === Job_State.SUCCEEDED && !shown.has(id);
    return this.acknowledged.filter(({ id }) => !isEnd(states.get(id)) || isToCome(id));
  }

  /** Submits until the signal aborts, and then finishes what it began. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const order = this.#order();
      if (order !== undefined) await this.#submit(order);
      await delay(this.#random(LONGEST_PAUSE_MS));
    }
    await Promise.all(this.#cancels);
  }

  close(): void {
    this.#connection[Symbol.dispose]();
  }

  async #submit(order: Order): Promise<void> {
    const { reference, distorted } = order.pair;
    const priority = this.#random(21) - 10;
    const key = randomUUID();
    const request = { job: { reference, distorted, priority, name: order.kind }, idempotencyKey: key };
    const { answer, attempts } = await insist(() =>
      this.#connection.call(JobService.method.submitJob, request, { timeoutMs: CALL_MS }),
    );
    if (answer.job === undefined) throw new Error("a submission was answered without a job");
    const { id } = answer.job;
    const job: Acknowledged = { key, id, order, attempts, existed: answer.existed, cancelledAs: undefined };
    this.acknowledged.push(job);
    if (order.kind === "cancelled") this.#cancelLater(job);
  }

  /** One in five is at fault, one in five is cancelled; undefined: there are enough. */
  #order(): Order | undefined {
    const first = this.acknowledged.length;
    const kind = first < KINDS ? first : this.#random(KINDS);
    const faulty = this.#one(this.#media.faulty);
    const good = this.#one(this.#media.good);
    const outstanding = this.outstanding.map(({ order }) => order.kind);
    if (outstanding.length >= OUTSTANDING + OUTSTANDING_FAULTY) return undefined;
    const enough = outstanding.filter((one) => one !== "faulty").length >= OUTSTANDING;
    if (kind === 0 || enough) return { kind: "faulty", pair: faulty };
    return { kind: kind === 1 ? "cancelled" : "good", pair: good };
  }

  #one<T>(of: readonly T[]): T {
    const chosen = of[this.#random(of.length)];
    if (chosen === undefined) throw new Error("nothing to choose from");
    return chosen;
  }

  #cancelLater(job: Acknowledged): void {
    const cancel = async (): Promise<void> => {
      await delay(this.#random(3_000));
      job.cancelledAs = (await this.#cancel(job.id))?.state;
    };
    const running: Promise<void> = cancel().finally(() => this.#cancels.delete(running));
    this.#cancels.add(running);
  }

  /** undefined: it had ended before. */
  async #cancel(id: string): Promise<Job | undefined> {
    const { answer } = await insist(async () => {
      try {
        return await this.#connection.call(JobService.method.cancelJob, { id }, { timeoutMs: CALL_MS });
      } catch (error) {
        if (error instanceof Failure && error.code === "JOB_FINISHED") return { job: undefined };
        throw error;
      }
    });
    return answer.job;
  }
}
