/** helm install, upgrade and uninstall on a Kubernetes API server, as an operator runs them. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { crdFiles } from "./chart/crds.ts";
import { CHART, good, helm, listOf } from "./chart/helm.ts";
import { Cluster } from "./cluster.ts";

const NAMESPACE = "encoding";

let cluster: Cluster;
before(async () => {
  cluster = await Cluster.start();
  for (const file of await crdFiles()) await cluster.admin.install(file);
});
after(() => cluster[Symbol.asyncDispose]());

/** Resources that the values name do not exist here, and no pods need them. */
const UNCHECKED = ["--set", "checks.existing=false"];

/** No pods run here, so hooks would never finish. */
async function run(command: string, values: string, more = ""): Promise<string> {
  const args = [
    command,
    "vmaf",
    CHART,
    "--namespace",
    NAMESPACE,
    "--no-hooks",
    ...UNCHECKED,
    "-f",
    good(values),
    "-f",
    "-",
  ];
  const { code, stdout, stderr } = await helm(args, cluster.kubeconfig, more);
  assert.equal(code, 0, stderr);
  return stdout;
}

async function namesOf(path: string): Promise<string[]> {
  const list = await cluster.admin.get(path.replace("NS", `namespaces/${NAMESPACE}`));
  return listOf(list.at("items")).map((one) => String(one.at("metadata", "name")));
}

const DEPLOYMENTS = "/apis/apps/v1/NS/deployments";
const TENANTS = "/apis/svc.dev/v1/NS/svctenants";

test("an installation is upgraded, rolled back and removed; the definition of SvcTenant stays", async () => {
  await cluster.namespace(NAMESPACE, { "pod-security.kubernetes.io/enforce": "restricted" });
  const tenants =
    "auth: { tenants: [{ tenantId: acme }, { tenantId: globex }] }\nnodes: { pools: { cpu: { replicas: 3 } } }";
  assert.match(
    await run("install", "required", tenants),
    /svc 0\.1\.0 is release vmaf in namespace encoding/,
  );
  assert.deepEqual(await namesOf(DEPLOYMENTS), ["vmaf-svc-controller", "vmaf-svc-node-cpu"]);
  // The chart brings the definition of SvcTenant.
  assert.deepEqual(await namesOf(TENANTS), ["acme", "globex"]);

  await run(
    "upgrade",
    "everything",
    "fullnameOverride: ''\nauth: { fleetTenant: acme, tenants: [{ tenantId: acme }] }",
  );
  const controller = await cluster.admin.get(
    `/apis/apps/v1/namespaces/${NAMESPACE}/deployments/vmaf-svc-controller`,
  );
  assert.equal(controller.at("spec", "replicas"), 3);
  const pool = await cluster.admin.get(`/apis/apps/v1/namespaces/${NAMESPACE}/deployments/vmaf-svc-node-cpu`);
  // The pool scales with the backlog from now on; see docs/kubernetes.md.
  assert.equal(pool.at("spec", "replicas"), 1);
  assert.deepEqual(await namesOf(TENANTS), ["acme"]);

  const flags = ["--namespace", NAMESPACE, "--no-hooks"];
  const back = await helm(["rollback", "vmaf", "1", ...flags], cluster.kubeconfig);
  assert.equal(back.code, 0, back.stderr);
  assert.deepEqual(await namesOf(TENANTS), ["acme", "globex"]);

  const gone = await helm(["uninstall", "vmaf", ...flags], cluster.kubeconfig);
  assert.equal(gone.code, 0, gone.stderr);
  for (const path of [
    DEPLOYMENTS,
    TENANTS,
    "/api/v1/NS/services",
    "/apis/networking.k8s.io/v1/NS/networkpolicies",
  ])
    assert.deepEqual(await namesOf(path), [], path);
  assert.ok(await cluster.admin.answers("/apis/svc.dev/v1/svctenants"), "helm keeps what is in crds/");
});

test("emptying the list of tenants admits nobody new, unless requested explicitly", async () => {
  await cluster.namespace("few");
  const command = (name: string) => [name, "vmaf", CHART, "--namespace", "few", "--no-hooks", ...UNCHECKED];
  const upgrade = (values: string) =>
    helm([...command("upgrade"), "-f", good("required"), "-f", "-"], cluster.kubeconfig, values);
  const { code, stderr } = await helm(
    [...command("install"), "-f", good("required"), "-f", "-"],
    cluster.kubeconfig,
    "auth: { tenants: [{ tenantId: acme }, { tenantId: globex }] }",
  );
  assert.equal(code, 0, stderr);
  const refused = await upgrade("");
  assert.notEqual(refused.code, 0);
  assert.match(refused.stderr, /auth\.tenants is empty, and this release has the SvcTenants acme, globex:/);
  assert.match(refused.stderr, /Set auth\.tenantsSource to provider if that is intended, or to kubernetes/);
  const followed = await upgrade("auth: { tenantsSource: kubernetes }");
  assert.equal(followed.code, 0, followed.stderr);
  const open = await upgrade("auth: { tenantsSource: provider }");
  assert.match(open.stdout, /^! Every tenant in the tokens of https:\/\/id\.example is accepted\./m);
});

test("two releases in one namespace do not interfere", async () => {
  await cluster.namespace("two");
  for (const name of ["first", "second"]) {
    const args = [
      "install",
      name,
      CHART,
      "--namespace",
      "two",
      "--no-hooks",
      ...UNCHECKED,
      "-f",
      good("required"),
    ];
    const { code, stderr } = await helm(args, cluster.kubeconfig);
    assert.equal(code, 0, stderr);
  }
  const list = await cluster.admin.get("/apis/apps/v1/namespaces/two/deployments");
  const selectors = listOf(list.at("items")).map((one) => JSON.stringify(one.at("spec", "selector")));
  assert.equal(new Set(selectors).size, 4);
});

test("a missing Secret fails the installation with its name and key, before anything is created", async () => {
  await cluster.namespace("bare");
  const args = ["install", "vmaf", CHART, "--namespace", "bare", "--no-hooks", "-f", good("tenants-file")];
  const install = () => helm(args, cluster.kubeconfig);
  const none = await install();
  assert.notEqual(none.code, 0);
  const missing = [/Secret "svc-database" is not .* key "url"/, /Secret "svc-node" is not .* key "token"/];
  for (const pattern of [...missing, /ConfigMap "svc-tenants" is not in namespace bare\. Create it/])
    assert.match(none.stderr, pattern);
  assert.deepEqual((await cluster.admin.get("/apis/apps/v1/namespaces/bare/deployments")).at("items"), []);

  const make = (kind: string, name: string, key: string) =>
    cluster.admin.apply(
      {
        apiVersion: "v1",
        kind,
        metadata: { name },
        [kind === "Secret" ? "stringData" : "data"]: { [key]: "x" },
      },
      { namespace: "bare" },
    );
  await make("Secret", "svc-database", "password");
  await make("Secret", "svc-node", "token");
  await make("ConfigMap", "svc-tenants", "tenants.yaml");
  const keyless = await install();
  assert.notEqual(keyless.code, 0);
  assert.match(keyless.stderr, /Secret "svc-database" in namespace bare has no key "url": URL of the/);
  assert.doesNotMatch(keyless.stderr, /svc-node|svc-tenants/);

  await make("Secret", "svc-database", "url");
  const whole = await install();
  assert.equal(whole.code, 0, whole.stderr);
});
