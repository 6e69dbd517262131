/** The default models of a tenant at a controller with a real store, while the setting changes. */
import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { create } from "@bufbuild/protobuf";
import { SubmitJobsRequestSchema } from "../../src/gen/proto/svc/v1/job_pb.ts";
import { GetTenantRequestSchema } from "../../src/gen/proto/svc/v1/tenant_pb.ts";
import { caller } from "./peer.ts";
import { refused, System, submission } from "./system.ts";

const defaults = new Map<string, readonly string[]>();
let system: System;
before(async () => {
  system = await System.open({ defaultModelsOf: (tenant) => defaults.get(tenant) ?? [] });
});
after(() => system.close());
beforeEach(() => defaults.clear());

async function shownTo(tenant: string): Promise<readonly string[] | undefined> {
  const request = create(GetTenantRequestSchema);
  return (await system.controller.tenants.getTenant(request, caller(tenant))).tenant?.defaultModels;
}

test("a job that names no model is stored with those of its tenant", async () => {
  defaults.set("acme", ["v1", "vmaf_v0.6.1"]);
  const { job } = await system.submit("acme");
  assert.deepEqual(job.spec?.models, ["v1", "vmaf_v0.6.1"]);
  const own = await system.submit("acme", { model: "vmaf_v0.6.1neg" });
  assert.deepEqual([own.job.spec?.model, own.job.spec?.models], ["vmaf_v0.6.1neg", []]);
  const other = await system.submit("beta");
  assert.deepEqual([other.job.spec?.model, other.job.spec?.models], ["", []]);
  assert.deepEqual(await shownTo("acme"), ["v1", "vmaf_v0.6.1"]);
  assert.deepEqual(await shownTo("beta"), ["vmaf_v0.6.1"]);
  defaults.set("acme", ["v1-tv"]);
  assert.deepEqual((await system.job("acme", job.id)).spec?.models, ["v1", "vmaf_v0.6.1"]);
});

test("a repeated request returns the stored job after the default models have changed", async () => {
  defaults.set("acme", ["v1"]);
  const { job } = await system.submit("acme", { name: "kept" }, "a key");
  for (const models of [["v1-tv"], []]) {
    defaults.set("acme", models);
    const again = await system.submit("acme", { name: "kept" }, "a key");
    assert.deepEqual([again.existed, again.job.id, again.job.spec?.models], [true, job.id, ["v1"]]);
  }
  const named = system.submit("acme", { name: "kept", models: ["v1"] }, "a key");
  await refused(named, "IDEMPOTENCY_CONFLICT");
});

test("a batch may mix jobs with and without models", async () => {
  defaults.set("acme", ["v1"]);
  const requests = [submission({}), submission({ models: ["vmaf_v0.6.1"] })];
  const { jobs } = await system.jobs.submitJobs(
    create(SubmitJobsRequestSchema, { jobs: requests }),
    caller("acme"),
  );
  assert.deepEqual(
    jobs.map(({ job }) => job?.spec?.models),
    [["v1"], ["vmaf_v0.6.1"]],
  );
});
