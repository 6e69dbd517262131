/** A gRPC client of the controller. */
import { setTimeout as sleep } from "node:timers/promises";
import { Connection } from "../src/client/connection/connection.ts";
import { type Job, Job_State, JobService, StreamJobsResponse_Kind } from "../src/gen/proto/svc/v1/job_pb.ts";
import type { FindingsPolicy_Action } from "../src/gen/proto/svc/v1/scoring_pb.ts";

export interface Pair {
  readonly reference: string;
  readonly distorted: string;
  readonly findings?: { readonly action: FindingsPolicy_Action };
}

export class Client implements Disposable {
  readonly #connection: Connection;

  constructor(grpc: string, token?: string) {
    this.#connection = new Connection({ address: grpc, token: async () => token });
  }

  /** Submits a job that is scored even if its result is there. Returns its id. */
  async submit(pair: Pair): Promise<string> {
    return (await this.submitted({ ...pair, noCache: true })).id;
  }

  /** Submits a job. Returns it as it was stored. */
  async submitted(spec: Pair & { readonly noCache?: boolean }): Promise<Job> {
    const { job } = await this.#connection.call(JobService.method.submitJob, { job: spec });
    if (job === undefined) throw new Error("the response has no job");
    return job;
  }

  /** Waits until a job has its result, by the stream of its changes instead of polling. */
  async succeeded(id: string): Promise<void> {
    for await (const { kind, job } of this.#connection.stream(JobService.method.streamJobs, { ids: [id] })) {
      if (kind === StreamJobsResponse_Kind.SNAPSHOT_END || job === undefined) continue;
      if (job.state === Job_State.SUCCEEDED) return;
      if (job.state > Job_State.SUCCEEDED)
        throw new Error(`job ${id}: ${job.error?.code} ${job.error?.message}`);
    }
    throw new Error(`the stream of job ${id} ended`);
  }

  async job(id: string): Promise<Job> {
    const { job } = await this.#connection.call(JobService.method.getJob, { id });
    if (job === undefined) throw new Error("the response has no job");
    return job;
  }

  /** Submits a job and waits for its result. */
  async score(pair: Pair): Promise<void> {
    await this.succeeded(await this.submit(pair));
  }

  /** Waits until a controller has this number of online nodes. */
  async nodesOnline(rest: string, count: number): Promise<void> {
    for (;;) {
      const response = await fetch(`${rest}/v1/nodes`);
      const { nodes = [] } = (await response.json()) as { nodes?: { state: string }[] };
      if (nodes.filter(({ state }) => state === "ONLINE").length >= count) return;
      await sleep(50);
    }
  }

  [Symbol.dispose](): void {
    this.#connection[Symbol.dispose]();
  }
}
