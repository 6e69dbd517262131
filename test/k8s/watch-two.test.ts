/** Two controllers that follow the same SvcTenants: both apply each change, and one of them writes the status. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { ControllerProcess } from "../server/controller-process.ts";
import { until } from "../waiting.ts";
import { changes, sample, tokenOf } from "./followers.ts";
import { claimsOf, IN, NAMESPACE, TenantCluster } from "./tenant-cluster.ts";

const WRITES = 'svc_tenants_status_writes_total{outcome="ok"}';

let tenants: TenantCluster;
let kubeconfig: string;
let first: ControllerProcess;
let second: ControllerProcess;
before(async () => {
  tenants = await TenantCluster.start();
  kubeconfig = await tenants.kubeconfig("svc");
  first = await tenants.follower("first", kubeconfig);
  await first.logged("acquired the lease");
  second = await tenants.follower("second", kubeconfig);
  await second.logged("SvcTenants loaded");
});
after(async () => {
  await second[Symbol.asyncDispose]();
  await first[Symbol.asyncDispose]();
  await tenants[Symbol.asyncDispose]();
});

async function add(tenant: string): Promise<void> {
  await tenants.cluster.admin.apply(tenants.tenant(tenant), IN);
}

/** Waits until a controller has counted a status write, which happens after the write is visible. */
function hasWritten(controller: ControllerProcess): Promise<void> {
  return until(async () => ((await sample(controller, WRITES)) ?? 0) > 0, "a write to be counted");
}

const isReady = (name: string) => tenants.readyIs(name, "True", "Accepted");

test("both apply a change, and one of them writes the status", async () => {
  const token = tokenOf(tenants.signer, claimsOf("acme"));
  // It is created when both have reported that it does not exist.
  const [asked, made] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const make = async () => {
    await asked.promise;
    await add("acme");
    made.resolve();
  };
  const isMade = () => {
    asked.resolve();
    return made.promise;
  };
  await Promise.all([
    changes("created, at the first", first, { token, to: "OK" }, make),
    changes("created, at the second", second, { token, to: "OK" }, isMade),
  ]);
  await isReady("acme");
  await hasWritten(first);
  assert.equal(await sample(second, WRITES), 0);
  assert.ok(!second.log.some(({ msg }) => msg === "acquired the lease"));
});

test("when that one is killed, the other takes over after the lease has expired", async () => {
  first.signal("SIGKILL");
  await first.exited();
  const begun = performance.now();
  await add("beta");
  await isReady("beta");
  process.stdout.write(`taken over after a crash: ${Math.round(performance.now() - begun)} ms\n`);
  await hasWritten(second);
});

test("when it stops normally, it releases the lease", async () => {
  first = await tenants.follower("first", kubeconfig);
  await first.logged("SvcTenants loaded");
  assert.equal(await second.stop(), 0);
  const begun = performance.now();
  await first.logged("acquired the lease");
  process.stdout.write(`taken over after a stop: ${Math.round(performance.now() - begun)} ms\n`);
  await add("gamma");
  await isReady("gamma");
  const lease = await tenants.cluster.admin.get(
    `/apis/coordination.k8s.io/v1/namespaces/${NAMESPACE}/leases/svc-tenants-status`,
  );
  assert.equal(lease.at("spec", "leaseTransitions"), 2);
});
