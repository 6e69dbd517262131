/** A REST client for jobs that checks every response against the contract. */
import assert from "node:assert/strict";
import { setTimeout as pause } from "node:timers/promises";
import { WAIT_LIMIT_MS } from "../waiting.ts";
import { Contract } from "./contract.ts";
import { type Answer, ask, type Problem, type Result } from "./rest-client.ts";

interface Server {
  readonly rest: string;
}

export interface Job {
  readonly id: string;
  readonly tenantId: string;
  readonly state: string;
  readonly spec: Readonly<Record<string, unknown>>;
  readonly segmentsTotal: number;
  readonly segmentsDone: number;
  readonly retries: number;
  readonly revision: number;
  readonly score?: number;
  readonly result?: Result;
  readonly distortedMedia?: object;
  readonly scorer?: object;
  readonly error?: {
    readonly code: string;
    readonly message: string;
    readonly found?: Readonly<Record<string, unknown>>;
  };
  readonly reuse?: { readonly segments: number; readonly jobId?: string };
  readonly work?: readonly {
    readonly kind: string;
    readonly state: string;
    readonly attempt: number;
    readonly frames?: readonly number[];
  }[];
}

export interface Page {
  readonly jobs: readonly Job[];
  readonly nextPageToken: string;
}

export interface Batch {
  readonly jobs: readonly { readonly job: Job; readonly existed: boolean }[];
}

export interface NodeList {
  readonly nodes: readonly { readonly id: string; readonly name: string; readonly state: string }[];
}

const ENDED = ["SUCCEEDED", "FAILED", "CANCELLED"];

export class JobsClient {
  readonly #server: Server;
  readonly #contract: Contract;

  /** Added to every request. */
  readonly #headers: Readonly<Record<string, string>>;

  private constructor(server: Server, contract: Contract, headers: Readonly<Record<string, string>>) {
    this.#server = server;
    this.#contract = contract;
    this.#headers = headers;
  }

  /** `token`: bearer token of its requests. */
  static async of(server: Server, token?: string): Promise<JobsClient> {
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
    return new JobsClient(server, await Contract.load(), headers);
  }

  /** Sends a request whose response must match the description of the operation. */
  async call<Body>(
    operationId: string,
    path: string,
    init: RequestInit = {},
  ): Promise<Answer<Body & Problem>> {
    const headers = { ...this.#headers, ...(init.headers as Readonly<Record<string, string>>) };
    const answer = await ask<Body & Problem>(this.#server, path, { ...init, headers });
    this.#contract.check(operationId, answer.status, answer.body);
    return answer;
  }

  post<Body>(
    operationId: string,
    path: string,
    body: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Answer<Body & Problem>> {
    return this.call(operationId, path, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: typeof body === "string" ? body : JSON.stringify(body),
    });
  }

  submit(spec: unknown, headers: Readonly<Record<string, string>> = {}): Promise<Answer<Job & Problem>> {
    return this.post("submitJob", "/v1/jobs", spec, headers);
  }

  /** Submits a job that is scored also if the same was scored before. */
  async submitAnew(spec: object): Promise<Job> {
    const { status, body } = await this.submit({ noCache: true, ...spec });
    assert.equal(status, 201, JSON.stringify(body));
    return body;
  }

  /** Returns the scores of every frame as CSV. */
  async framesOf({ id }: Pick<Job, "id">): Promise<string> {
    const url = `${this.#server.rest}/v1/jobs/${id}/frames?format=csv`;
    const response = await fetch(url, { headers: this.#headers });
    assert.equal(response.status, 200);
    return response.text();
  }

  get(id: string): Promise<Answer<Job & Problem>> {
    return this.call("getJob", `/v1/jobs/${id}`);
  }

  cancel(id: string): Promise<Answer<Job & Problem>> {
    return this.call("cancelJob", `/v1/jobs/${id}:cancel`, { method: "POST" });
  }

  list(query = ""): Promise<Answer<Page & Problem>> {
    return this.call("listJobs", `/v1/jobs${query}`);
  }

  /** Waits until a job has succeeded and its stills are made, so that nothing of it changes any more. */
  async settled(id: string): Promise<Job> {
    const giveUp = Date.now() + WAIT_LIMIT_MS;
    await this.until(id, "SUCCEEDED");
    for (;;) {
      const { body } = await this.get(id);
      if (body.work?.every(({ state }) => state === "DONE")) return body;
      if (Date.now() > giveUp)
        throw new Error(`stills of job ${id} are not made: ${JSON.stringify(body.work)}`);
      await pause(25);
    }
  }

  /** Polls until the job is in one of these states. */
  async until(id: string, ...states: readonly string[]): Promise<Job> {
    const giveUp = Date.now() + WAIT_LIMIT_MS;
    for (;;) {
      const { body } = await this.get(id);
      if (states.includes(body.state)) return body;
      if (ENDED.includes(body.state) || Date.now() > giveUp) {
        throw new Error(
          `job ${id} is ${body.state}, not ${states.join(" or ")}: ${JSON.stringify(body.error)}`,
        );
      }
      await pause(25);
    }
  }
}
