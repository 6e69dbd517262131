/** A tenant's limits when a node lists the renditions of a title: each of them is a job that counts. */
import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import { create } from "@bufbuild/protobuf";
import {
  GetComparisonRequestSchema,
  SubmitComparisonRequestSchema,
} from "../../src/gen/proto/svc/v1/comparison_pb.ts";
import { ListJobsRequestSchema } from "../../src/gen/proto/svc/v1/job_pb.ts";
import type { WorkItem } from "../../src/gen/proto/svc/v1/node_pb.ts";
import { GetTenantRequestSchema } from "../../src/gen/proto/svc/v1/tenant_pb.ts";
import type { Limits } from "../../src/jobs/limits.ts";
import { caller, Peer } from "./peer.ts";
import { CAPABILITIES } from "./scored.ts";
import { LIMITS, refused, System } from "./system.ts";

const MANIFEST = "/media/master.m3u8";
const RENDITIONS = ["320x180-400k", "640x360-1200k", "1280x720-2500k", "1920x1080-5000k"];

let system: System;
let limits: Partial<Limits>;
before(async () => {
  system = await System.open({ limitsOf: () => ({ ...LIMITS, ...limits }) });
});
beforeEach(() => {
  limits = {};
});
after(async () => system.close());

/** Submits a comparison of the title, and leases the task that lists its renditions. */
async function leased(tenant: string) {
  const pairs = [{ reference: "/media/r.mp4", distorted: MANIFEST }];
  const request = create(SubmitComparisonRequestSchema, { pairs });
  const { comparison } = await system.controller.comparisons.submitComparison(request, caller(tenant));
  const node = await Peer.register(system.nodes, tenant, { capabilities: { ...CAPABILITIES, titles: true } });
  return { id: comparison?.id ?? assert.fail("no comparison"), node, item: await node.pullSome() };
}

async function list(node: Peer, item: WorkItem): Promise<void> {
  assert.equal(item.work.case, "title");
  await node.report(item, { case: "title", value: { renditions: RENDITIONS } });
}

/** Lists the renditions again and again until that fails the tenant's only job; returns the code of its error. */
async function failureOf(tenant: string, first: { readonly node: Peer; readonly item: WorkItem }) {
  const { jobs } = await system.jobs.listJobs(create(ListJobsRequestSchema), caller(tenant));
  for (let { node, item } = first; ; item = await node.pullSome()) {
    await list(node, item);
    const { error } = await system.job(tenant, jobs[0]?.id ?? "");
    if (error !== undefined) return error.code;
  }
}

async function encodesOf(tenant: string, id: string): Promise<readonly string[]> {
  const request = create(GetComparisonRequestSchema, { id });
  const { comparison } = await system.controller.comparisons.getComparison(request, caller(tenant));
  return comparison?.cells.map(({ distorted }) => distorted) ?? assert.fail("no comparison");
}

async function queued(tenant: string): Promise<number | undefined> {
  const request = create(GetTenantRequestSchema);
  return (await system.controller.tenants.getTenant(request, caller(tenant))).tenant?.usage?.jobsQueued;
}

const RENDERED = RENDITIONS.map((name) => `${MANIFEST}#${name}`);

describe("the renditions of a title", () => {
  test("fill the tenant's queue", async () => {
    const tenant = "fills";
    limits = { jobsQueued: 3 };
    const { id, node, item } = await leased(tenant);
    await list(node, item);
    assert.deepEqual(await encodesOf(tenant, id), RENDERED);
    assert.equal(await queued(tenant), 3);
    await refused(system.submit(tenant), "TENANT_QUEUE_FULL");
  });

  test("are listed again later if the queue has no room for all of them", async () => {
    const tenant = "waits";
    limits = { jobsQueued: 2 };
    const { id, node, item } = await leased(tenant);
    await list(node, item);
    assert.deepEqual(await encodesOf(tenant, id), [MANIFEST]);
    assert.equal(await queued(tenant), 0);
    limits = { jobsQueued: 3 };
    const again = await node.pullSome();
    assert.deepEqual([again.itemId, again.attempt], [item.itemId, item.attempt + 1]);
    await list(node, again);
    assert.deepEqual(await encodesOf(tenant, id), RENDERED);
  });

  test("fail with the reason if the queue stays full", async () => {
    const tenant = "fails";
    limits = { jobsQueued: 2 };
    const { id, node, item } = await leased(tenant);
    assert.equal(await failureOf(tenant, { node, item }), "TENANT_QUEUE_FULL");
    assert.deepEqual(await encodesOf(tenant, id), [MANIFEST]);
  });

  test("of two titles that are listed at the same time never exceed the queue's capacity", async () => {
    const tenant = "both";
    limits = { jobsQueued: 5 };
    const both = [await leased(tenant), await leased(tenant)];
    await Promise.all(both.map(({ node, item }) => list(node, item)));
    const encodes = await Promise.all(both.map(({ id }) => encodesOf(tenant, id)));
    assert.deepEqual(new Set(encodes.map(({ length }) => length)), new Set([1, RENDITIONS.length]));
    assert.equal(await queued(tenant), 3);
  });

  test("that are too many per second fail with the reason", async () => {
    const tenant = "too fast";
    limits = { submitsPerSecond: 1 };
    const { id, node, item } = await leased(tenant);
    limits = { submitsPerSecond: 0.001 };
    assert.equal(await failureOf(tenant, { node, item }), "TENANT_SUBMIT_RATE");
    assert.deepEqual(await encodesOf(tenant, id), [MANIFEST]);
  });

  test("count as submitted jobs", async () => {
    const tenant = "fast";
    limits = { submitsPerSecond: 2 };
    const { id, node, item } = await leased(tenant);
    limits = { submitsPerSecond: 1 };
    await list(node, item);
    assert.deepEqual(await encodesOf(tenant, id), RENDERED);
    limits = { submitsPerSecond: 0.001 };
    const found = { limit: 0.001, ahead: 3 };
    await assert.rejects(system.submit(tenant), { code: "TENANT_SUBMIT_RATE", found });
  });
});
