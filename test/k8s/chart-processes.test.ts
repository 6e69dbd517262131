/** The processes of svc, run with the environment and the permissions that the chart gives them. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { Authority, type Pair } from "../server/certificates.ts";
import { ControllerProcess } from "../server/controller-process.ts";
import { SvcProcess } from "../server/svc-process.ts";
import { until, WAIT_LIMIT_MS } from "../waiting.ts";
import { SVC_TENANTS } from "./chart/crds.ts";
import {
  CHART,
  environmentOf,
  listOf,
  NAMESPACE,
  type Rendered,
  renderedGood,
  type Told,
} from "./chart/helm.ts";
import { Cluster } from "./cluster.ts";

const ACCOUNT = "svc-controller";
const READY = readFileSync(join(CHART, "files", "ready.mjs"), "utf8");

/** A controller reports readiness over gRPC within 2 s. */
const PATIENT = { TRIES: "30" };

let folder: string;
let cluster: Cluster;
let release: Rendered;
let authority: Authority;
let server: Pair;
let client: Pair;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), "svc-chart-"));
  authority = await Authority.open(folder, "authority");
  [server, client] = [await authority.issue("server"), await authority.issue("client")];
  cluster = await Cluster.start();
  await cluster.namespace(NAMESPACE);
  await cluster.admin.install(SVC_TENANTS);
  release = await renderedGood("everything");
  const kinds = ["ServiceAccount", "Role", "RoleBinding", "SvcTenant"];
  for (const object of release.objects.filter(({ kind }) => kinds.includes(kind))) {
    await cluster.admin.apply(object, { namespace: NAMESPACE });
  }
});
after(async () => {
  await cluster[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

/** Runs the script of `helm test` as its pod does. */
function ready(env: Readonly<Record<string, string>>): Promise<Told> {
  const { promise, resolve } = Promise.withResolvers<Told>();
  const args = ["--input-type=module", "--eval", READY];
  execFile(
    process.execPath,
    args,
    { env: { TRIES: "1", ...env }, timeout: WAIT_LIMIT_MS },
    (error, stdout, stderr) => resolve({ code: error === null ? 0 : 1, stdout, stderr }),
  );
  return promise;
}

test("a controller with every option enabled starts, and follows SvcTenants with only its Role", async () => {
  const token = await cluster.serviceAccountToken(NAMESPACE, ACCOUNT);
  const kubeconfig = await cluster.write("account", cluster.kubeconfigFor({ token, namespace: NAMESPACE }));
  const env = {
    ...environmentOf(release.one("Deployment", "vmaf-controller")),
    SVC_TLS_CERT: server.cert,
    SVC_TLS_KEY: server.key,
    SVC_TLS_CLIENT_CA: authority.path,
    NODE_EXTRA_CA_CERTS: authority.path,
    SVC_OTLP_ENDPOINT: "",
    SVC_KUBECONFIG: kubeconfig,
  };
  await using controller = await ControllerProcess.start({ dataDir: join(folder, "data"), auth: [], env });
  await statusOf("acme");
  const leases = await cluster.admin.get(`/apis/coordination.k8s.io/v1/namespaces/${NAMESPACE}/leases`);
  assert.equal(leases.at("items", 0, "metadata", "name"), "svc-tenants-status");
  const urls = { REST_URL: controller.rest, GRPC_URL: `https://${controller.grpc}` };
  const shown = { CA_FILE: authority.path, CERT_FILE: client.cert, KEY_FILE: client.key };
  const result = await ready({ ...urls, ...shown, ...PATIENT });
  assert.equal(result.code, 0, result.stderr);
  assert.match(result.stdout, /^REST https:.*"ready".*\ngRPC https:.*: SERVING\n$/s);
  const { code, stderr } = await ready({ ...urls, CA_FILE: authority.path });
  assert.equal(code, 1);
  assert.match(stderr, /REST https:.* is not ready/);
  assert.equal(await controller.stop(), 0);
});

/** Resolves when a controller has written the conditions of a tenant. */
async function statusOf(name: string): Promise<void> {
  const path = `/apis/svc.dev/v1/namespaces/${NAMESPACE}/svctenants/${name}`;
  const conditions = async () => listOf((await cluster.admin.get(path)).at("status", "conditions"));
  await until(async () => (await conditions()).length > 0, `conditions of ${name}`);
}

test("without authentication a controller starts, helm test passes, and a node becomes ready", async () => {
  const open = await renderedGood("auth-disabled");
  const env = environmentOf(open.one("Deployment", "rel-svc-controller"));
  await using controller = await ControllerProcess.start({ dataDir: join(folder, "open"), auth: [], env });
  const urls = { REST_URL: controller.rest, GRPC_URL: `http://${controller.grpc}` };
  const result = await ready({ ...urls, ...PATIENT });
  assert.equal(result.code, 0, result.stderr);
  await using node = new SvcProcess("node", {
    args: ["--controller", controller.grpc, "--host", "127.0.0.1", "--metrics-port", "0"],
    env: { ...environmentOf(open.one("Deployment", "rel-svc-node-cpu")), SVC_MEDIA_ROOT: folder },
  });
  const { metrics } = await node.addresses();
  await node.logged("registered");
  for (const path of ["/v1/health", "/v1/ready", "/metrics"]) {
    assert.equal((await fetch(`${metrics}${path}`)).status, 200, path);
  }
  assert.equal(await node.stop(), 0);
});

test("helm test fails with the reason if nothing answers", async () => {
  const { code, stderr } = await ready({ REST_URL: "http://127.0.0.1:1", GRPC_URL: "http://127.0.0.1:1" });
  assert.equal(code, 1);
  assert.match(stderr, /^REST http:\/\/127\.0\.0\.1:1: .*\n/);
});
