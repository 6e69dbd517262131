/** Clients that submit jobs steadily. Every submission is repeated with its key until it is acknowledged. */
import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { Connection } from "../../src/client/connection/connection.ts";
import { type Job, Job_State, JobService } from "../../src/gen/proto/svc/v1/job_pb.ts";
import { Failure } from "../../src/platform/failure.ts";
import { insist } from "./insist.ts";
import type { ChaosMedia, FaultyPair, GoodPair } from "./media.ts";
import { isEnd, type Watcher } from "./watcher.ts";

/** Maximum scorable jobs that have not ended; enough to keep every node busy. */
const OUTSTANDING = 10;
/** Above that, only invalid jobs, which cost little, up to this number, so that submissions never stop. */
const OUTSTANDING_FAULTY = 40;
/** Maximum milliseconds between submissions. */
const LONGEST_PAUSE_MS = 300;
/** Milliseconds per attempt. */
const CALL_MS = 3_000;
/** One in this number of jobs is invalid, one is cancelled; a run starts with one of each. */
const KINDS = 5;

export type Order =
  | { readonly kind: "good"; readonly pair: GoodPair }
  | { readonly kind: "faulty"; readonly pair: FaultyPair }
  | { readonly kind: "cancelled"; readonly pair: GoodPair };

/** An acknowledged job. */
export interface Acknowledged {
  readonly key: string;
  readonly id: string;
  readonly order: Order;
  /** Attempts until it was acknowledged. */
  readonly attempts: number;
  /** Whether an earlier attempt without a response had stored it. */
  readonly existed: boolean;
  /** The state in the response to its cancellation; undefined: it was not cancelled, or had ended before. */
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

  /** Jobs that were not seen to end. */
  get outstanding(): readonly Acknowledged[] {
    return this.acknowledged.filter(({ id }) => !isEnd(this.#watcher.states.get(id)));
  }

  /** Jobs with a pending change: their end, or the stills of succeeded ones. */
  get unsettled(): readonly Acknowledged[] {
    const { states, shown } = this.#watcher;
    const isToCome = (id: string) => states.get(id) === Job_State.SUCCEEDED && !shown.has(id);
    return this.acknowledged.filter(({ id }) => !isEnd(states.get(id)) || isToCome(id));
  }

  /** Submits until the signal aborts, then finishes its current submissions. */
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
    // Chaos is for the tasks of jobs: answers from earlier results have none.
    const spec = { reference, distorted, priority, name: order.kind, noCache: true };
    const request = { job: spec, idempotencyKey: key };
    const { answer, attempts } = await insist(() =>
      this.#connection.call(JobService.method.submitJob, request, { timeoutMs: CALL_MS }),
    );
    if (answer.job === undefined) throw new Error("a submission was answered without a job");
    const { id } = answer.job;
    const job: Acknowledged = { key, id, order, attempts, existed: answer.existed, cancelledAs: undefined };
    this.acknowledged.push(job);
    if (order.kind === "cancelled") this.#cancelLater(job);
  }

  /** One in five is invalid, one in five is cancelled; undefined: there are enough. */
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
