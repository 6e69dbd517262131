/** A controller that follows the SvcTenants of a namespace applies changes at once. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import type { ControllerProcess } from "../server/controller-process.ts";
import { EventStream } from "../server/event-stream.ts";
import { until } from "../waiting.ts";
import { answerTo, changes, sample, tokenOf } from "./followers.ts";
import { statusOf } from "./svctenants.ts";
import { claimsOf, IN, issuerOf, NAMESPACE, TenantCluster } from "./tenant-cluster.ts";

let tenants: TenantCluster;
let controller: ControllerProcess;
let auditLog: string;
before(async () => {
  tenants = await TenantCluster.start();
  auditLog = tenants.directory.file("audit.log");
  const kubeconfig = await tenants.kubeconfig("svc");
  controller = await tenants.follower("data", kubeconfig, ["--audit-log", auditLog]);
  await controller.logged("SvcTenants loaded", { tenants: 0 });
});
after(async () => {
  await controller[Symbol.asyncDispose]();
  await tenants[Symbol.asyncDispose]();
});

const tokenOfAcme = () => tokenOf(tenants.signer, claimsOf("acme"));
const acme = (over: object = {}, name = "acme") => tenants.tenant("acme", over, name);
const apply = (over: object = {}) => tenants.cluster.admin.apply(acme(over), IN);
const remove = (name = "acme") => tenants.cluster.admin.delete(acme({}, name), NAMESPACE);

async function audited(target: string): Promise<string[]> {
  // After the last line end, a line may be partially written.
  const lines = (await readFile(auditLog, "utf8")).split("\n").slice(0, -1);
  const records = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  return records
    .filter(({ operation, targets }) => operation === "system/tenant-resource" && String(targets) === target)
    .map(({ outcome }) => String(outcome));
}

test("a tenant is accepted once created, and not when disabled, changed or deleted", async () => {
  const token = tokenOfAcme();
  await changes("created", controller, { token, to: "OK" }, () => apply());
  await changes("disabled", controller, { token, to: "TENANT_DISABLED" }, () => apply({ enabled: false }));
  await changes("enabled", controller, { token, to: "OK" }, () => apply());
  const rbac = { allowedRoles: ["svc:writer"] };
  await changes("its role not allowed", controller, { token, to: "ROLE_MISSING" }, () => apply({ rbac }));
  await changes("its role allowed", controller, { token, to: "OK" }, () => apply());
  await changes("deleted", controller, { token, to: "TOKEN_INVALID" }, () => remove());
  await until(async () => (await audited(`${NAMESPACE}/acme`)).length === 6, "all changes to be audited");
});

test("an open stream ends when its tenant is disabled", async () => {
  const token = tokenOfAcme();
  await changes("created", controller, { token, to: "OK" }, () => apply());
  using stream = await EventStream.open(`${controller.rest}/v1/jobs:stream`, {
    authorization: `Bearer ${token}`,
  });
  await stream.next();
  await apply({ enabled: false });
  const begun = performance.now();
  let last = "";
  for (let event = await stream.next(); event !== undefined; event = await stream.next()) last = event.data;
  process.stdout.write(`stream ended: ${Math.round(performance.now() - begun)} ms\n`);
  assert.match(last, /TENANT_DISABLED/);
  await remove();
});

test("a resource that the controller rejects affects no other", async () => {
  const token = tokenOfAcme();
  await changes("created", controller, { token, to: "OK" }, () => apply());
  // Too long for the controller's count, but not for the server's.
  const tenantId = "😀".repeat(200);
  await tenants.cluster.admin.apply(acme({ tenantId }, "broken"), IN);
  const { faults } = await controller.logged("SvcTenant rejected; the others stay in force", {
    name: "broken",
  });
  assert.match(String(faults), /tenantId has more than 256 characters/);
  assert.equal(await answerTo(controller, token), "OK");
  assert.equal(await sample(controller, 'svc_tenants_refused{reason="invalid"}'), 1);
  assert.equal(await sample(controller, "svc_tenants"), 1);
  await tenants.readyIs("broken", "False", "Invalid");
  await until(
    async () => (await audited(`${NAMESPACE}/broken`))[0] === "FAULTY",
    "the rejection to be audited",
  );
  await remove("broken");
});

test("of two resources of one tenant the older counts, until it is deleted", async () => {
  const token = tokenOfAcme();
  const other = { issuer: "https://id.example/other", jwksEndpoint: tenants.keyServer.url };
  const thief = tokenOf(tenants.signer, { iss: other.issuer, tid: "acme" });
  // With equal creation times names decide, so this one comes second in any case.
  await tenants.cluster.admin.apply(acme({ oidc: other }, "zz-late"), IN);
  await tenants.readyIs("zz-late", "False", "DuplicateTenantId");
  assert.equal(await answerTo(controller, thief), "TOKEN_INVALID");
  await apply({ enabled: false });
  await tenants.readyIs("acme", "False", "Disabled");
  assert.equal(await answerTo(controller, thief), "TOKEN_INVALID", "a disabled one keeps the id");
  await changes("the older deleted", controller, { token: thief, to: "OK" }, () => remove());
  assert.equal(await answerTo(controller, token), "TOKEN_INVALID");
  await remove("zz-late");
});

test("a tenant being deleted, but held by a finalizer, is already gone", async () => {
  const token = tokenOfAcme();
  const held = { ...acme(), metadata: { name: "acme", finalizers: ["test.example/hold"] } };
  await changes("created", controller, { token, to: "OK" }, () => tenants.cluster.admin.apply(held, IN));
  await changes("being deleted", controller, { token, to: "TOKEN_INVALID" }, () => remove());
  await tenants.cluster.admin.apply({ ...acme(), metadata: { name: "acme", finalizers: [] } }, IN);
});

test("the status states whether a tenant is ready, and since when its keys are known", async () => {
  await apply();
  await tenants.readyIs("acme", "True", "Accepted");
  const first = await statusOf(tenants.cluster, NAMESPACE, "acme");
  assert.equal(first.at("observed"), 1);
  assert.equal(first.at("keys", "outcome"), "read");
  assert.equal(first.at("keys", "count"), 1);
  assert.ok(Math.abs(Date.parse(String(first.at("keys", "lastFetchTime"))) - Date.now()) < 600_000);
  await apply({ limits: { weight: 2 } });
  await until(
    async () => (await statusOf(tenants.cluster, NAMESPACE, "acme")).at("observed") === 2,
    "the next status",
  );
  const second = await statusOf(tenants.cluster, NAMESPACE, "acme");
  assert.equal(second.at("ready", "lastTransitionTime"), first.at("ready", "lastTransitionTime"));
  const oidc = { issuer: issuerOf("acme"), jwksEndpoint: "http://127.0.0.1:9/" };
  await apply({ oidc });
  await tenants.readyIs("acme", "False", "KeysUnavailable");
  assert.equal((await statusOf(tenants.cluster, NAMESPACE, "acme")).at("keys", "outcome"), "unreachable");
});

/** Number of statuses written; the last one may not be counted yet. */
const writes = async () =>
  (await sample(controller, 'svc_tenants_status_writes_total{outcome="ok"}')) ?? assert.fail("no writes");

test("an unchanged status is not written again", async () => {
  await tenants.readyIs("acme", "False", "KeysUnavailable");
  const written = await writes();
  const { version } = (await statusOf(tenants.cluster, NAMESPACE, "acme")).value as { version: string };
  // Changes of another resource cause a new round; the keys of a disabled tenant are not fetched.
  const changesOfBeta = 3;
  for (let weight = 1; weight <= changesOfBeta; weight++) {
    await tenants.cluster.admin.apply(tenants.tenant("beta", { enabled: false, limits: { weight } }), IN);
    await until(
      async () => (await statusOf(tenants.cluster, NAMESPACE, "beta")).at("observed") === weight,
      "the next status of beta",
    );
  }
  await tenants.readyIs("beta", "False", "Disabled");
  assert.equal((await statusOf(tenants.cluster, NAMESPACE, "acme")).at("version"), version);
  const more = (await writes()) - written;
  assert.ok(more <= changesOfBeta + 1, `${more} writes for ${changesOfBeta} changes, and one counted late`);
});
