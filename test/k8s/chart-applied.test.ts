/** Applies the chart's objects to a Kubernetes API server, and to the definitions of third-party resources. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { until } from "../waiting.ts";
import { crdFiles, SVC_TENANTS } from "./chart/crds.ts";
import { goodNames, listOf, NAMESPACE, type Rendered, rendered, renderedGood } from "./chart/helm.ts";
import { Cluster } from "./cluster.ts";
import { ApiAnswer } from "./kube-api.ts";

/** A namespace with the Pod security level that the chart promises to satisfy, and one with a lower level. */
const ENFORCED = { [NAMESPACE]: "restricted", open: "privileged" };

let cluster: Cluster;
before(async () => {
  cluster = await Cluster.start();
  for (const [name, level] of Object.entries(ENFORCED)) {
    await cluster.namespace(name, { "pod-security.kubernetes.io/enforce": level });
  }
  for (const file of [SVC_TENANTS, ...(await crdFiles())]) await cluster.admin.install(file);
  const nvidia = {
    apiVersion: "node.k8s.io/v1",
    kind: "RuntimeClass",
    metadata: { name: "nvidia" },
    handler: "nvidia",
  };
  (await cluster.admin.send("POST", "/apis/node.k8s.io/v1/runtimeclasses", nvidia)).ok();
});
after(() => cluster[Symbol.asyncDispose]());

/** The service account of the pods; `default` is made by a cluster controller, which does not run here. */
async function makeAccounts(release: Rendered): Promise<void> {
  const made = release.ofKind("ServiceAccount").map((one) => String(one.at("metadata", "name")));
  for (const name of ["default", ...made]) {
    for (const namespace of Object.keys(ENFORCED)) await cluster.serviceAccountToken(namespace, name);
  }
}

for (const name of goodNames) {
  test(`accepts every object of ${name}, and its pods under restricted Pod security`, async () => {
    const release = await renderedGood(name);
    await makeAccounts(release);
    for (const object of release.objects) {
      await cluster.admin.apply(object, { namespace: NAMESPACE, dryRun: true });
    }
    const namespace = name === "baseline" ? "open" : NAMESPACE;
    for (const { of, pod } of release.pods()) {
      const metadata = { ...pod.metadata, namespace };
      const reply = await cluster.admin.tryApply({ ...pod, metadata }, { namespace, dryRun: true });
      assert.equal(reply.message, "", of);
    }
  });
}

test("a restricted namespace refuses pods with nfs and hostPath", async () => {
  for (const { pod } of (await renderedGood("baseline")).pods()) {
    const reply = await cluster.admin.tryApply(pod, { namespace: NAMESPACE, dryRun: true });
    const mounts = JSON.stringify(pod).includes("hostPath");
    assert.equal(reply.status, mounts ? 403 : 201, reply.message);
    if (mounts) assert.match(reply.message, /violates PodSecurity "restricted:latest"/);
  }
});

test("each entry of auth.tenants becomes a SvcTenant with the entry's values, and defaults for the rest", async () => {
  const release = await renderedGood("everything");
  const tenants = release.objects.filter(({ kind }) => kind === "SvcTenant");
  for (const tenant of tenants) await cluster.admin.apply(tenant, { namespace: NAMESPACE });
  const listed = await cluster.admin.get(`/apis/svc.dev/v1/namespaces/${NAMESPACE}/svctenants`);
  const specs = new Map(
    listOf(listed.at("items")).map((one) => [one.at("spec", "tenantId"), new ApiAnswer(one.at("spec"))]),
  );
  assert.deepEqual(new Set(specs.keys()), new Set(["007", "acme", "fleet", "org_Xq2bT9"]));
  assert.deepEqual(specs.get("acme")?.value, {
    tenantId: "acme",
    enabled: true,
    oidc: {
      issuer: "https://id.example",
      jwksEndpoint: "https://id.example/keys",
      audience: "svc",
      tenantClaim: "tid",
      rolesClaim: "svc_roles",
    },
  });
  const auth0 = specs.get("org_Xq2bT9");
  assert.equal(auth0?.at("enabled"), false);
  assert.equal(auth0?.at("oidc", "tenantClaim"), "org_id");
  assert.deepEqual(auth0?.at("limits", "jobsQueued"), 100_000_000);
});

test("any tenant id gets a unique name that the API server accepts", async () => {
  const ids = ["Acme", "acme", "a/b", "a b", "..", "日本", "x".repeat(256), "-", "7"];
  const tenants = ids.map((tenantId) => ({ tenantId }));
  const release = await rendered(`auth: { tenants: ${JSON.stringify(tenants)} }`);
  const made = release.objects.filter(({ kind }) => kind === "SvcTenant");
  assert.equal(new Set(made.map(({ metadata }) => metadata.name)).size, ids.length);
  for (const one of made) await cluster.admin.apply(one, { namespace: NAMESPACE, dryRun: true });
});

test("the Role permits what following tenants needs, and nothing else", async () => {
  const release = await renderedGood("tenants-watched");
  const kinds = ["ServiceAccount", "Role", "RoleBinding"];
  const access = release.objects.filter(({ kind }) => kinds.includes(kind));
  for (const object of access) await cluster.admin.apply(object, { namespace: NAMESPACE });
  const tenants = { group: "svc.dev", resource: "svctenants" };
  const leases = { group: "coordination.k8s.io", resource: "leases" };
  const permitted = [
    ...["get", "list", "watch"].map((verb) => ({ verb, ...tenants })),
    { verb: "patch", ...tenants, subresource: "status" },
    { verb: "create", ...leases },
    ...["get", "update"].map((verb) => ({ verb, ...leases, name: "svc-tenants-status" })),
  ];
  const denied = [
    ...["create", "update", "patch", "delete"].map((verb) => ({ verb, ...tenants })),
    { verb: "update", ...tenants, subresource: "status" },
    { verb: "delete", ...leases, name: "svc-tenants-status" },
    { verb: "get", ...leases, name: "another" },
    ...["secrets", "pods", "configmaps"].map((resource) => ({ verb: "list", group: "", resource })),
    { verb: "list", ...tenants, namespace: "open" },
    { verb: "create", group: "", resource: "serviceaccounts", subresource: "token" },
  ];
  // A new role takes effect after a moment.
  for (const one of permitted)
    await until(() => mayController(one), `${JSON.stringify(one)} to be permitted`);
  for (const one of denied) assert.equal(await mayController(one), false, JSON.stringify(one));
});

/** Whether the API server allows the controllers' service account to do something. */
async function mayController(asked: Readonly<Record<string, string>>): Promise<boolean> {
  const review = {
    apiVersion: "authorization.k8s.io/v1",
    kind: "SubjectAccessReview",
    spec: {
      user: `system:serviceaccount:${NAMESPACE}:rel-svc-controller`,
      groups: ["system:serviceaccounts", `system:serviceaccounts:${NAMESPACE}`, "system:authenticated"],
      resourceAttributes: { namespace: NAMESPACE, ...asked },
    },
  };
  const path = "/apis/authorization.k8s.io/v1/subjectaccessreviews";
  return (
    new ApiAnswer((await cluster.admin.send("POST", path, review)).ok()).at("status", "allowed") === true
  );
}
