/** Secrets with credentials of storages, with the roles of a real API server. */
import { after, before, test } from "node:test";
import type { ControllerProcess } from "../server/controller-process.ts";
import { until } from "../waiting.ts";
import { storagesReady } from "./svctenants.ts";
import { IN, NAMESPACE, TenantCluster } from "./tenant-cluster.ts";

let tenants: TenantCluster;
let controller: ControllerProcess;
before(async () => {
  tenants = await TenantCluster.start();
  controller = await tenants.follower("data", await tenants.kubeconfig("svc"));
  await controller.logged("SvcTenants loaded", { tenants: 0 });
});
after(async () => {
  await controller[Symbol.asyncDispose]();
  await tenants[Symbol.asyncDispose]();
});

/** Creates a Secret that names a tenant, and a tenant that uses it. */
async function put(tenantId: string, secretName: string, named: string): Promise<void> {
  const metadata = { name: secretName, annotations: { "svc.dev/tenant-id": named } };
  const stringData = { AWS_ACCESS_KEY_ID: "KEYID", AWS_SECRET_ACCESS_KEY: "hush" };
  await tenants.cluster.admin.apply({ apiVersion: "v1", kind: "Secret", metadata, stringData }, IN);
  const s3 = { region: "eu-central-1", buckets: ["videos"], credentials: { secretName } };
  await tenants.cluster.admin.apply(tenants.tenant(tenantId, { storages: [{ s3 }] }), IN);
}

async function becomes(tenant: string, state: string): Promise<void> {
  const holds = async () => (await storagesReady(tenants.cluster, NAMESPACE, tenant)) === state;
  await until(holds, `the storages of ${tenant} to be ${state}`);
}

test("a Secret that the role names is read for the tenant that it names, and for no other", async () => {
  await put("acme", "acme-storage", "acme");
  await becomes("acme", "True SecretsRead");
  await put("globex", "acme-storage", "acme");
  await becomes("globex", "False SecretOfOtherTenant");
  await tenants.readyIs("globex", "True", "Accepted");
});

test("a Secret that the role does not name is not read", async () => {
  await put("initech", "initech-storage", "initech");
  await becomes("initech", "False SecretForbidden");
});

test("a tenant without Secrets has no condition on them", async () => {
  await tenants.cluster.admin.apply(tenants.tenant("hooli"), IN);
  await tenants.readyIs("hooli", "True", "Accepted");
  await becomes("hooli", "none");
});
