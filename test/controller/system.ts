/** A controller with a real embedded store, and what its tests need. */
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { Registry } from "prom-client";
import { RevocationList } from "../../src/auth/tokens/revocations.ts";
import { type Controller, type ControllerSettings, openController } from "../../src/controller/controller.ts";
import { anyFile } from "../../src/controller/requests/media-policy.ts";
import { RevocationFeed } from "../../src/controller/tenants/revocation-feed.ts";
import {
  CancelJobRequestSchema,
  GetJobFramesRequestSchema,
  GetJobRequestSchema,
  type Job,
  type JobSpecSchema,
  StreamJobsRequestSchema,
  type StreamJobsResponse,
  SubmitJobRequestSchema,
  type SubmitJobResponse,
} from "../../src/gen/proto/svc/v1/job_pb.ts";
import type { Limits } from "../../src/jobs/limits.ts";
import { WORST_MOMENTS } from "../../src/jobs/scores/moments.ts";
import { Failure, type FailureCode } from "../../src/platform/failure.ts";
import { openLog } from "../../src/platform/observability/log.ts";
import type { Store } from "../../src/store/contract/store.ts";
import { openStore } from "../../src/store/open.ts";
import { prepareDataDir } from "../store/prepared.ts";
import { caller } from "./peer.ts";

export const LOG = openLog({ level: "fatal", format: "text" });
/** The tenant whose nodes serve all tenants. */
export const FLEET = "fleet";
/** Limits so high that other tests never reach them. */
export const LIMITS: Limits = {
  jobsQueued: Number.POSITIVE_INFINITY,
  segmentsRunning: Number.POSITIVE_INFINITY,
  submitsPerSecond: Number.POSITIVE_INFINITY,
  weight: 1,
};
const SETTINGS: ControllerSettings = {
  leaseMs: 600_000,
  segmentSeconds: 10,
  worstStills: WORST_MOMENTS,
  retentionMs: 30 * 24 * 3_600_000,
  auditRetentionMs: 90 * 24 * 3_600_000,
  fleetTenant: FLEET,
  media: anyFile,
  limitsOf: () => LIMITS,
  defaultModelsOf: () => [],
  findingsOf: () => undefined,
  storagesOf: () => [],
};

export class System {
  readonly store: Store;
  readonly registry = new Registry();
  /** The revocations that the controller would pass to a gateway. */
  readonly revocations = new RevocationList();
  readonly controller: Controller;
  readonly #close: () => Promise<void>;

  constructor(store: Store, settings: Partial<ControllerSettings>, close: () => Promise<void>) {
    this.store = store;
    this.#close = close;
    const { registry, revocations } = this;
    const feed = new RevocationFeed({ store, list: revocations, log: LOG });
    this.controller = openController({
      ...{ store, log: LOG, registry, settings: { ...SETTINGS, ...settings } },
      tokens: { revocations: feed, clockSkewMs: 30_000 },
    });
    this.controller.start();
  }

  /** Opens it with its own embedded store; `instead`: wraps some of the store's methods. */
  static async open(
    settings: Partial<ControllerSettings> = {},
    instead: (store: Store) => Partial<Store> = () => ({}),
  ): Promise<System> {
    const dataDir = await mkdtemp(join(tmpdir(), "svc-store-"));
    await prepareDataDir(dataDir);
    const store = await openStore({ dataDir }, LOG);
    return new System(wrapped(store, instead(store)), settings, async () => {
      await store.close();
      await rm(dataDir, { recursive: true, force: true });
    });
  }

  /** Stops the controller, then its store. */
  async close(): Promise<void> {
    await this.controller.stop();
    await this.#close();
  }

  get nodes(): Controller["nodes"] {
    return this.controller.nodes;
  }

  get jobs(): Controller["jobs"] {
    return this.controller.jobs;
  }

  async submit(
    tenant: string,
    spec: MessageInitShape<typeof JobSpecSchema> = {},
    idempotencyKey = "",
  ): Promise<SubmitJobResponse & { job: Job }> {
    const response = await this.jobs.submitJob(submission(spec, idempotencyKey), caller(tenant));
    assert.ok(response.job);
    return response as SubmitJobResponse & { job: Job };
  }

  async job(tenant: string, id: string): Promise<Job> {
    const { job } = await this.jobs.getJob(create(GetJobRequestSchema, { id }), caller(tenant));
    assert.ok(job);
    return job;
  }

  async cancel(tenant: string, id: string): Promise<Job> {
    const { job } = await this.jobs.cancelJob(create(CancelJobRequestSchema, { id }), caller(tenant));
    assert.ok(job);
    return job;
  }

  stream(
    tenant: string,
    over: MessageInitShape<typeof StreamJobsRequestSchema> = {},
    signal?: AbortSignal,
  ): AsyncIterable<StreamJobsResponse> {
    return this.jobs.streamJobs(create(StreamJobsRequestSchema, over), caller(tenant, signal));
  }

  /** Waits by its stream until a job matches. */
  async until(tenant: string, id: string, holds: (job: Job) => boolean): Promise<Job> {
    for await (const { job } of this.stream(tenant, { ids: [id] })) {
      if (job && holds(job)) return job;
      if (job?.endTime) assert.fail(`the job ended in state ${job.state}: ${job.error?.message}`);
    }
    return assert.fail("the stream ended");
  }

  /** Frames of a job: their numbers and scores. */
  async frames(
    tenant: string,
    over: MessageInitShape<typeof GetJobFramesRequestSchema>,
  ): Promise<{ frame: number; metrics: Readonly<Record<string, number>> }[]> {
    const rows = [];
    const parts = this.jobs.getJobFrames(create(GetJobFramesRequestSchema, over), caller(tenant));
    for await (const part of parts) rows.push(...part.rows());
    return rows;
  }

  /** Sum of a metric over the matching labels. */
  async metric(name: string, labels: Readonly<Record<string, string>> = {}): Promise<number> {
    const metric = await this.registry.getSingleMetric(name)?.get();
    const fitting = metric?.values.filter((value) =>
      Object.entries(labels).every(([label, text]) => value.labels[label] === text),
    );
    return (fitting ?? []).reduce((sum, { value }) => sum + value, 0);
  }
}

/** A store with some methods wrapped. */
export function wrapped(store: Store, instead: Partial<Store>): Store {
  return new Proxy(store, {
    get: (target, key) => {
      const method: unknown = Reflect.get(instead, key) ?? Reflect.get(target, key);
      return typeof method === "function" ? method.bind(target) : method;
    },
  });
}

export function submission(spec: MessageInitShape<typeof JobSpecSchema>, idempotencyKey = "") {
  const job = { reference: "/media/r.mp4", distorted: "/media/d.mp4", ...spec };
  return create(SubmitJobRequestSchema, { job, idempotencyKey });
}

/** Expects a failure with one of these codes and a complete sentence as message. */
export async function refused(work: Promise<unknown>, ...codes: FailureCode[]): Promise<Failure> {
  const failure = await work.then(
    () => assert.fail(`accepted instead of ${codes.join(" or ")}`),
    (thrown: unknown) => thrown,
  );
  assert.ok(failure instanceof Failure, String(failure));
  assert.ok(
    codes.includes(failure.code),
    `${failure.code} instead of ${codes.join(" or ")}: ${failure.message}`,
  );
  assert.match(failure.message, /^[^\n]{10,600}$/);
  return failure;
}
