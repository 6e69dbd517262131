/** A controller that follows SvcTenants while the API server, or the connection to it, is down. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { ControllerProcess } from "../server/controller-process.ts";
import { svc } from "../server/svc-process.ts";
import { until } from "../waiting.ts";
import type { Cluster } from "./cluster.ts";
import { answerTo, changes, sample, tokenOf } from "./followers.ts";
import { Link } from "./link.ts";
import { allow, tenantRule } from "./svctenants.ts";
import { claimsOf, IN, NAMESPACE, TenantCluster } from "./tenant-cluster.ts";

const GONE = 'svc_tenants_watch_failures_total{reason="gone"}';
const FORBIDDEN = 'svc_tenants_watch_failures_total{reason="forbidden"}';
const TIMEOUT = 'svc_tenants_watch_failures_total{reason="timeout"}';
const STAY = "failed to follow the SvcTenants; the known ones stay in force; retrying";
const AGAIN = "SvcTenants are followed again";

let tenants: TenantCluster;
let cluster: Cluster;
let link: Link;
let controller: ControllerProcess;
before(async () => {
  tenants = await TenantCluster.start();
  cluster = tenants.cluster;
  link = await Link.open(cluster.apiPort);
  await cluster.admin.apply(acme(), IN);
  link.cut();
  controller = await tenants.follower("data", await kubeconfig("svc", tenants.account));
});
after(async () => {
  await controller[Symbol.asyncDispose]();
  await link[Symbol.asyncDispose]();
  await tenants[Symbol.asyncDispose]();
});

const kubeconfig = (name: string, token: string) => tenants.kubeconfig(name, token, link.url);
const acme = (over: object = {}) => tenants.tenant("acme", over);
const tokenOfAcme = () => tokenOf(tenants.signer, claimsOf("acme"));
const enable = (enabled: boolean) => () => cluster.admin.apply(acme({ enabled }), IN);

function synced(value: number): Promise<void> {
  const holds = async () => (await sample(controller, "svc_tenants_synced")) === value;
  return until(holds, `svc_tenants_synced ${value}`);
}

/** Waits until a restarted server serves SvcTenants; before that it reports that it is not ready. */
function knowsTenants(): Promise<void> {
  const path = `/apis/svc.dev/v1/namespaces/${NAMESPACE}/svctenants`;
  return until(() => cluster.admin.answers(path), "the server to know its tenants");
}

async function statusAt(path: string): Promise<number> {
  return (await fetch(`${controller.rest}${path}`)).status;
}

test("started without the server it keeps running, is not ready, and accepts no token until it knows the tenants", async () => {
  await controller.logged("failed to load the SvcTenants; no token is accepted; retrying");
  assert.equal(await statusAt("/v1/health"), 200);
  assert.equal(await statusAt("/v1/ready"), 503);
  const token = tokenOfAcme();
  assert.equal(await answerTo(controller, token), "TENANTS_UNAVAILABLE");
  assert.equal(await sample(controller, "svc_tenants_synced"), 0);
  await changes("the server is there", controller, { token, to: "OK" }, async () => link.mend());
  assert.equal(await statusAt("/v1/ready"), 200);
  // Tenants are taken from the list; the watch is opened after it.
  await synced(1);
  // It grows until the server responds again, about every ten seconds.
  await until(async () => ((await sample(controller, "svc_tenants_age_seconds")) ?? 99) < 15, "a small age");
});

test("resumes a watch whose connection was reset", async () => {
  const token = tokenOfAcme();
  const gone = await sample(controller, GONE);
  link.cut();
  await synced(0);
  await enable(false)();
  assert.equal(await answerTo(controller, token), "OK", "the last known state is in force");
  assert.equal(await statusAt("/v1/ready"), 200);
  await changes("mended", controller, { token, to: "TENANT_DISABLED" }, async () => link.mend());
  assert.equal(await sample(controller, GONE), gone);
  await controller.logged(AGAIN);
});

test("closes a connection that is silently dead", async () => {
  const token = tokenOfAcme();
  const timeouts = async () => (await sample(controller, TIMEOUT)) ?? 0;
  const before = await timeouts();
  let enabled = false;
  // A watch that ended just then resumes on a new connection; then it is repeated.
  await until(async () => {
    enabled = !enabled;
    link.stall();
    const to = enabled ? "OK" : "TENANT_DISABLED";
    await changes("behind a dead connection", controller, { token, to }, enable(enabled));
    return (await timeouts()) > before;
  }, "a connection to be closed");
  await enable(true)();
  await until(async () => (await answerTo(controller, token)) === "OK", "the tenant to be accepted");
});

test("keeps the tenants in force during a crash of the server", async () => {
  const token = tokenOfAcme();
  await cluster.stopApi();
  await synced(0);
  assert.equal(await answerTo(controller, token), "OK");
  await cluster.startApi();
  await knowsTenants();
  await changes("the server is back", controller, { token, to: "TENANT_DISABLED" }, enable(false));
  await synced(1);
});

test("lists everything again if the server no longer knows what changed", async () => {
  const token = tokenOfAcme();
  const gone = (await sample(controller, GONE)) ?? 0;
  link.cut();
  await cluster.admin.apply(tenants.tenant("beta"), IN);
  await cluster.admin.delete(acme(), NAMESPACE);
  // A restarted server has no history of changes.
  await cluster.stopApi();
  await cluster.startApi();
  // It starts to keep a history at the first request for them.
  await knowsTenants();
  await changes("listed anew", controller, { token, to: "TOKEN_INVALID" }, async () => link.mend());
  assert.equal(await answerTo(controller, tokenOf(tenants.signer, claimsOf("beta"))), "OK");
  assert.equal(await sample(controller, GONE), gone + 1);
});

describe("a controller that may not", () => {
  test("list the tenants logs that, keeps running and retries", async () => {
    const token = await cluster.serviceAccountToken(NAMESPACE, "nobody");
    const path = await kubeconfig("nobody", token);
    await using other = await tenants.follower("other", path);
    const { reason, advice } = await other.logged(
      "failed to load the SvcTenants; no token is accepted; retrying",
    );
    assert.match(String(reason), /403: svctenants.svc.dev is forbidden/);
    assert.match(String(advice), /Allow the service account to get, list and watch/);
    assert.equal((await fetch(`${other.rest}/v1/ready`)).status, 503);
  });

  test("watch them keeps those that were listed, logs the advice once, and follows them when permitted", async () => {
    const account = { namespace: NAMESPACE, name: "lister" };
    const token = await cluster.serviceAccountToken(NAMESPACE, account.name);
    await allow(cluster, account, [tenantRule("list")]);
    await using other = await tenants.follower("lister", await kubeconfig("lister", token));
    await other.logged("SvcTenants loaded");
    const { reason, advice } = await other.logged(STAY);
    assert.match(String(reason), /403: svctenants.svc.dev is forbidden/);
    assert.match(String(advice), /Allow the service account to get, list and watch/);
    await until(async () => ((await sample(other, FORBIDDEN)) ?? 0) >= 4, "it to have retried");
    assert.equal(await sample(other, "svc_tenants_synced"), 0);
    assert.equal((await fetch(`${other.rest}/v1/ready`)).status, 200);
    await allow(cluster, account, [tenantRule("list", "watch")]);
    await other.logged(AGAIN);
    const logged = other.log.map(({ msg }) => msg).filter((msg) => msg === STAY || msg === AGAIN);
    assert.deepEqual(logged, [STAY, AGAIN]);
  });

  test("list them with its first token continues with the token that replaces it on disk", async () => {
    const tokenFile = await cluster.write("token", await cluster.serviceAccountToken(NAMESPACE, "nobody"));
    const config: unknown = JSON.parse(
      cluster.kubeconfigFor({ token: "", namespace: NAMESPACE, server: link.url }),
    );
    const users = [{ name: "test", user: { tokenFile } }];
    const path = await cluster.write(
      "rotated.kubeconfig",
      JSON.stringify(Object.assign({}, config, { users })),
    );
    await using other = await tenants.follower("rotated", path);
    await other.logged("failed to load the SvcTenants; no token is accepted; retrying");
    await cluster.write("token", tenants.account);
    await other.logged("SvcTenants loaded");
    await other.logged(AGAIN);
  });

  test("authenticate at all exits at once", async () => {
    const base = [
      "controller",
      "--tenants-source",
      "kubernetes",
      "--data-dir",
      tenants.directory.file("none"),
    ];
    const { code, stderr } = await svc(base);
    assert.equal(code, 2, stderr);
    assert.match(stderr, /This is not a Pod of a Kubernetes cluster.*Give --kubeconfig/);
  });
});
