/** The kinds of calls that clients make: over REST and gRPC, short and long-polling. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { JobService } from "../../src/gen/proto/svc/v1/job_pb.ts";
import type { Kind } from "./callers.ts";
import type { Line } from "./line.ts";
import type { Acknowledged } from "./load.ts";
import type { ChaosMedia, GoodPair } from "./media.ts";
import { isEnd, type Watcher } from "./watcher.ts";

/** Maximum jobs that have not ended; enough to keep every node busy. */
const OUTSTANDING = 4;
/** Wait of clients that accept an asynchronous response, in seconds. */
const WAIT_SECONDS = 2;

interface Answer {
  readonly id: string;
  readonly score?: number | undefined;
}

export class Kinds {
  /** Acknowledged jobs. */
  readonly acknowledged: Acknowledged[] = [];
  readonly #media: ChaosMedia;
  readonly #watcher: Watcher;
  #turn = 0;

  constructor(media: ChaosMedia, watcher: Watcher) {
    this.#media = media;
    this.#watcher = watcher;
  }

  get all(): readonly Kind[] {
    return [
      this.#submits("submit over REST", (line, body, key) =>
        line.ask<Answer>({ method: "POST", path: "/v1/jobs", headers: { "idempotency-key": key }, body }),
      ),
      this.#submits("submit over gRPC", async ({ grpc }, job, idempotencyKey) => {
        const answer = await grpc.call(JobService.method.submitJob, { job, idempotencyKey });
        return answer.job ?? assert.fail("a submission was answered without a job");
      }),
      this.#scores("score", {}),
      this.#scores("score, or get a location", { prefer: `respond-async, wait=${WAIT_SECONDS}` }),
      this.#reads("get over REST", async (line, id) => line.ask<Answer>({ path: `/v1/jobs/${id}` })),
      this.#reads("get over gRPC", async ({ grpc }, id) => {
        const { job } = await grpc.call(JobService.method.getJob, { id });
        return job ?? assert.fail("the response has no job");
      }),
      {
        name: "list over REST",
        next: () => async (line) => {
          const { jobs } = await line.ask<{ jobs?: unknown[] }>({ path: "/v1/jobs?pageSize=10" });
          assert.ok(Array.isArray(jobs));
        },
      },
      {
        name: "list over gRPC",
        next: () => async (line) => {
          await line.grpc.call(JobService.method.listJobs, { pageSize: 10 });
        },
      },
    ];
  }

  /** Jobs that were not seen to end. */
  get outstanding(): readonly Acknowledged[] {
    return this.acknowledged.filter(({ id }) => !isEnd(this.#watcher.states.get(id)));
  }

  /** Jobs with a pending change: their end, or the stills of ended ones. */
  get unsettled(): readonly Acknowledged[] {
    return this.acknowledged.filter(({ id }) => !this.#watcher.shown.has(id));
  }

  #submits(name: string, submit: (line: Line, spec: object, key: string) => Promise<Answer>): Kind {
    const next = () => {
      if (this.outstanding.length >= OUTSTANDING) return undefined;
      const pair = this.#pair();
      const key = randomUUID();
      return async (line: Line) => {
        const { id } = await submit(line, { ...specOf(pair), noCache: true }, key);
        this.#acknowledge(id, key, pair);
      };
    };
    return { name, next };
  }

  /** Scores, and looks up the job by its key. */
  #scores(name: string, preference: Readonly<Record<string, string>>): Kind {
    const next = () => {
      const pair = this.#pair();
      const key = randomUUID();
      return async (line: Line) => {
        const asked = { method: "POST", body: specOf(pair) } as const;
        const headers = { "idempotency-key": key };
        const answer = await line.ask<Answer>({
          ...asked,
          path: "/v1/score",
          headers: { ...headers, ...preference },
        });
        if (answer.score !== undefined) assert.equal(answer.score, pair.truth.score);
        const { id } = await line.ask<Answer>({ ...asked, path: "/v1/jobs", headers });
        this.#acknowledge(id, key, pair);
      };
    };
    return { name, next };
  }

  #reads(name: string, get: (line: Line, id: string) => Promise<Answer>): Kind {
    const next = () => {
      const one = this.acknowledged.at(-1 - (this.#turn++ % OUTSTANDING));
      if (one === undefined) return undefined;
      return async (line: Line) => assert.equal((await get(line, one.id)).id, one.id);
    };
    return { name, next };
  }

  #acknowledge(id: string, key: string, pair: GoodPair): void {
    const order = { kind: "good", pair } as const;
    this.acknowledged.push({ key, id, order, attempts: 1, existed: false, cancelledAs: undefined });
  }

  #pair(): GoodPair {
    const { good } = this.#media;
    return good[this.#turn++ % good.length] ?? assert.fail("there is no pair");
  }
}

function specOf({ reference, distorted }: GoodPair): { reference: string; distorted: string } {
  return { reference, distorted };
}
