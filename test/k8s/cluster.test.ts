/** The API server that the other tests here rely on validates objects and checks permissions. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { until } from "../waiting.ts";
import { Cluster } from "./cluster.ts";

let cluster: Cluster;
before(async () => {
  cluster = await Cluster.start();
});
after(() => cluster[Symbol.asyncDispose]());

test("an object with an unknown member is refused", async () => {
  const map = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "one" } };
  await cluster.admin.apply({ ...map, data: { a: "b" } });
  const reply = await cluster.admin.tryApply({ ...map, dataa: {} });
  assert.equal(reply.status, 500, reply.message);
  assert.match(reply.message, /dataa/);
});

test("a service account has no permissions without a role", async () => {
  const api = cluster.as(await cluster.serviceAccountToken("default", "nobody"));
  const path = "/api/v1/namespaces/default/configmaps";
  assert.equal((await api.send("GET", path)).status, 403);
  const metadata = { name: "reader" };
  const rules = [{ apiGroups: [""], resources: ["configmaps"], verbs: ["list"] }];
  const role = { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "reader" };
  const subjects = [{ kind: "ServiceAccount", name: "nobody", namespace: "default" }];
  const apiVersion = "rbac.authorization.k8s.io/v1";
  await cluster.admin.apply({ apiVersion, kind: "Role", metadata, rules });
  await cluster.admin.apply({ apiVersion, kind: "RoleBinding", metadata, roleRef: role, subjects });
  await until(async () => (await api.send("GET", path)).status === 200, "the role to count");
  assert.equal((await api.send("POST", path, {})).status, 403);
  api.close();
});

test("a Pod without the required restrictions is refused in a restricted namespace", async () => {
  await cluster.namespace("guarded", { "pod-security.kubernetes.io/enforce": "restricted" });
  await cluster.serviceAccountToken("guarded", "default");
  const spec = { containers: [{ name: "one", image: "example.com/one" }] };
  const pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "one", namespace: "guarded" }, spec };
  const reply = await cluster.admin.tryApply(pod);
  assert.equal(reply.status, 403);
  assert.match(reply.message, /violates PodSecurity "restricted/);
});

test("stored objects survive a crash", async () => {
  await cluster.stopApi();
  assert.equal(await cluster.admin.answers("/readyz"), false);
  await cluster.startApi();
  assert.equal(await cluster.admin.answers("/api/v1/namespaces/default/configmaps/one"), true);
});
