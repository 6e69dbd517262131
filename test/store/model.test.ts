/** Property test: for any sequence of calls, jobs and tasks behave like the model. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import fc from "fast-check";
import type { NewNode } from "../../src/store/contract/node-records.ts";
import type { Store } from "../../src/store/contract/store.ts";
import { FRAMES, type Lease, Model, type ModelJob, type ModelNode } from "./model.ts";
import {
  CLASSES,
  jobOutcome,
  LEASE_MS,
  MEDIA,
  newJob,
  newNode,
  newTenant,
  nextMoment,
  onBothStores,
  SCORE,
  segmentRecord,
  segments,
} from "./stores.ts";

/** An action with two numbers that choose its objects. */
type Step = readonly [keyof typeof ACTIONS, number, number];

class Run {
  readonly model = new Model();
  readonly tenant = newTenant();
  readonly store: Store;
  readonly nodes: { readonly real: NewNode; readonly model: ModelNode }[] = [];
  /** Task ids of the store by lease of the model. */
  readonly ids = new Map<Lease, string>();

  constructor(store: Store) {
    this.store = store;
  }

  async register(name: string): Promise<void> {
    const real = newNode(this.tenant, { name });
    await this.store.registerNode(real);
    this.nodes.push({ real, model: { number: this.nodes.length, live: true } });
  }

  node(choice: number) {
    return this.nodes[choice % this.nodes.length] ?? assert.fail("no node");
  }

  job(choice: number): ModelJob | undefined {
    return this.model.jobs[choice % this.model.jobs.length];
  }

  /** Chooses a past or current lease, preferably a recent one. */
  lease(choice: number) {
    const { leases } = this.model;
    const lease = leases[leases.length - 1 - (choice % Math.min(leases.length, 4))];
    if (lease === undefined) return undefined;
    const { session } = this.nodes.find(({ model }) => model === lease.node)?.real ?? assert.fail("no node");
    return { lease, fence: { session, itemId: this.ids.get(lease) ?? "", attempt: lease.attempt } };
  }
}

const ERROR = { code: "SCORER_FAILED", message: "It crashed." };
const verdict = (forGood: boolean) => () =>
  forGood ? ({ kind: "fail" } as const) : ({ kind: "retry", afterMs: 0 } as const);

const ACTIONS = {
  submit: async (run: Run, a: number) => {
    const job = newJob({ priority: (a % 3) - 1 });
    await run.store.insertJobs(run.tenant, [job]);
    run.model.submit(job.id, job.priority);
    await nextMoment(run.store);
  },
  claim: async (run: Run, a: number, b: number) => {
    const { real, model } = run.node(a);
    const over = b % 4 === 0;
    const wanted = {
      session: real.session,
      tenant: run.tenant,
      workClasses: CLASSES,
      leaseMs: over ? -1 : LEASE_MS,
    };
    const work = await run.store.claim(wanted);
    const lease = run.model.claim(model, over);
    assert.deepEqual(
      work && [work.jobId, work.kind, work.attempt],
      lease && [lease.work.job.id, lease.work.kind, lease.attempt],
    );
    if (work && lease) run.ids.set(lease, work.id);
  },
  plan: async (run: Run, a: number, b: number) => {
    const held = run.lease(a);
    if (held === undefined) return;
    const count = 1 + (b % 3);
    const cut = { framesTotal: count * FRAMES, segments: segments(count) };
    const record = { plan: "p", ...cut, workClass: SCORE, media: MEDIA };
    const { recorded } = await run.store.recordPlan(held.fence, record);
    assert.equal(recorded, run.model.plan(held.lease, count));
  },
  segment: async (run: Run, a: number) => {
    const held = run.lease(a);
    if (held === undefined) return;
    const { recorded } = await run.store.recordSegment(held.fence, segmentRecord());
    assert.equal(recorded, run.model.segment(held.lease));
  },
  fail: async (run: Run, a: number, b: number) => {
    const held = run.lease(a);
    if (held === undefined) return;
    const { recorded } = await run.store.recordFailure(held.fence, ERROR, verdict(b % 3 === 0));
    assert.equal(recorded, run.model.fail(held.lease, b % 3 === 0));
  },
  handBack: async (run: Run, a: number) => {
    const held = run.lease(a);
    if (held === undefined) return;
    assert.equal((await run.store.handBack(held.fence)).recorded, run.model.handBack(held.lease));
  },
  cutFault: async (run: Run, a: number) => {
    const held = run.lease(a);
    if (held === undefined) return;
    assert.equal(
      (await run.store.recordSegmentMismatch(held.fence)).recorded,
      run.model.cutFault(held.lease),
    );
  },
  expire: async (run: Run, _: number, b: number) => {
    await run.store.expireLeases(1000, verdict(b % 4 === 0));
    run.model.expire(b % 4 === 0);
  },
  promote: async (run: Run) => {
    await run.store.promoteWaiting(1000);
    run.model.promote();
  },
  renew: async (run: Run, a: number, b: number) => {
    const { real, model } = run.node(a);
    const running = run.model.leases.map((lease) => ({
      itemId: run.ids.get(lease) ?? "",
      attempt: lease.attempt,
      framesDone: b,
    }));
    await run.store.renew(real.session, running, LEASE_MS, false);
    run.model.renew(model, b);
  },
  supersede: async (run: Run, a: number) => {
    const { real, model } = run.node(a);
    if (!model.live) return;
    run.model.supersede(model);
    await run.register(real.name);
  },
  leave: async (run: Run, a: number) => {
    const { real, model } = run.node(a);
    await run.store.leaveNode(real.session);
    run.model.leave(model);
    await run.register(`node-${randomUUID()}`);
  },
  cancel: async (run: Run, a: number) => {
    const job = run.job(a);
    if (job === undefined) return;
    assert.equal((await run.store.cancelJob(run.tenant, job.id))?.changed, run.model.cancel(job));
  },
  cancelAll: async (run: Run) => {
    const { jobs } = await run.store.cancelSome(run.tenant, {}, undefined);
    assert.equal(jobs.length, run.model.cancelAll());
  },
  remove: async (run: Run, a: number, b: number) => {
    const job = run.job(a);
    if (job === undefined) return;
    const open = b % 2 === 0;
    const outcome = await run.store.deleteJob(run.tenant, job.id, open);
    assert.equal(outcome?.deleted, run.model.remove(job, open));
  },
  succeed: async (run: Run, a: number) => {
    const job = run.job(a);
    if (job === undefined) return;
    const generation = job.generation;
    assert.equal(
      await run.store.succeed(job.id, generation, jobOutcome({ frameCount: 7 })),
      run.model.succeed(job),
    );
  },
  restartWhole: async (run: Run, a: number) => {
    const job = run.job(a);
    if (job === undefined) return;
    const generation = job.generation;
    const ready = await run.store.restartWhole(job.id, generation);
    assert.equal(ready !== undefined, run.model.restartWhole(job));
  },
};

/** The frequency of actions, similar to production. */
const USUAL = [
  "submit",
  "claim",
  "claim",
  "claim",
  "plan",
  "plan",
  "segment",
  "segment",
  "renew",
  "promote",
] as const;
const NAMES = [...USUAL, ...(Object.keys(ACTIONS) as (keyof typeof ACTIONS)[])];

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.tuple(fc.constantFrom(...NAMES), fc.nat({ max: 12 }), fc.nat({ max: 120 })),
  { minLength: 20, maxLength: 80, size: "max" },
);

onBothStores((open) => {
  test("jobs and tasks behave like the model", async () => {
    const { store } = open();
    await fc.assert(
      fc.asyncProperty(steps, async (given) => {
        const run = new Run(store);
        await run.register("a");
        await run.register("b");
        for (const [name, a, b] of given) {
          await ACTIONS[name](run, a, b);
          await compare(run);
        }
        await tidy(run);
      }),
      { numRuns: 25, endOnFailure: true },
    );
  });
});

async function compare({ store, tenant, model }: Run): Promise<void> {
  const rows = await store.listJobs(tenant, {}, undefined, 1000);
  assert.deepEqual(
    rows
      .toReversed()
      .map(({ id, state, revision, framesDone, framesTotal, segmentsDone, segmentsTotal, retries }) => ({
        ...{ id, state, revision, framesDone, framesTotal, segmentsDone, segmentsTotal, retries },
      })),
    model.jobs.map(
      ({ id, state, revision, framesDone, framesTotal, segmentsDone, segmentsTotal, retries }) => ({
        ...{ id, state, revision, framesDone, framesTotal, segmentsDone, segmentsTotal, retries },
      }),
    ),
  );
  const job = model.jobs.at(-1);
  if (job === undefined) return;
  const detail = await store.jobDetail(tenant, job.id);
  assert.deepEqual(
    detail?.work.map(({ kind, state, attempt, framesDone }) => [kind, state, attempt, framesDone]),
    job.work
      .filter(({ generation }) => generation === 0 || generation === job.generation)
      .map(({ kind, state, attempt, framesDone }) => [kind, state, attempt, framesDone]),
  );
}

/** Maintenance tasks see all tenants, so each run must clean up. */
async function tidy({ store, tenant, model }: Run): Promise<void> {
  for (const { id } of model.jobs) await store.cancelJob(tenant, id);
}
