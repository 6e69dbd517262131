/** What a tenant's jobs do about findings by default, at a controller with a real store, while the setting changes. */
import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { create, fromJson, toJson } from "@bufbuild/protobuf";
import { type FindingsPolicy, FindingsPolicySchema } from "../../src/gen/proto/svc/v1/scoring_pb.ts";
import { GetTenantRequestSchema } from "../../src/gen/proto/svc/v1/tenant_pb.ts";
import type { FindingsPolicy as Policy } from "../../src/jobs/findings-policy.ts";
import { caller, Peer } from "./peer.ts";
import { refused, System } from "./system.ts";

const WARN: Policy = { action: "WARN", codes: { OFFSET: "IGNORE" } };
const defaults = new Map<string, Policy>();
let system: System;
before(async () => {
  system = await System.open({ findingsOf: (tenant) => defaults.get(tenant) });
});
after(() => system.close());
beforeEach(() => defaults.clear());

const jsonOf = (policy: FindingsPolicy | undefined) => policy && toJson(FindingsPolicySchema, policy);

async function shownTo(tenant: string) {
  const answer = await system.controller.tenants.getTenant(create(GetTenantRequestSchema), caller(tenant));
  return jsonOf(answer.tenant?.findings);
}

test("a job that names no policy is stored and scored with that of its tenant", async () => {
  defaults.set("acme", WARN);
  const { job } = await system.submit("acme");
  assert.deepEqual(jsonOf(job.spec?.findings), WARN);
  defaults.set("acme", { action: "REFUSE" });
  assert.deepEqual(jsonOf((await system.job("acme", job.id)).spec?.findings), WARN);
  const node = await Peer.register(system.nodes, "acme");
  assert.deepEqual(jsonOf((await node.pullSome()).request?.findings), WARN);
  assert.deepEqual(await shownTo("acme"), { action: "REFUSE" });
  const { job: other } = await system.submit("beta");
  assert.equal(other.spec?.findings, undefined);
  assert.equal(await shownTo("beta"), undefined);
});

test("a job with its own policy keeps it, even if that policy sets no action", async () => {
  defaults.set("acme", WARN);
  for (const own of [{}, { codes: { BARS: "IGNORE" } }]) {
    const findings = fromJson(FindingsPolicySchema, own);
    const { job } = await system.submit("acme", { findings });
    assert.deepEqual(jsonOf(job.spec?.findings), own);
  }
});

test("a repeated request returns the stored job after the default policy has changed", async () => {
  defaults.set("acme", WARN);
  const { job } = await system.submit("acme", { name: "kept" }, "a key");
  for (const change of [() => defaults.set("acme", { action: "IGNORE" }), () => defaults.clear()]) {
    change();
    const again = await system.submit("acme", { name: "kept" }, "a key");
    assert.deepEqual([again.existed, again.job.id, jsonOf(again.job.spec?.findings)], [true, job.id, WARN]);
  }
  const findings = fromJson(FindingsPolicySchema, { action: "WARN", codes: { OFFSET: "IGNORE" } });
  await refused(system.submit("acme", { name: "kept", findings }, "a key"), "IDEMPOTENCY_CONFLICT");
});
