/** Names of the chart's objects: of maximum length, of numeric-looking text, and for any release name. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { CHART, good, helm, RELEASE, rendered } from "./chart/helm.ts";
import { manifestsIn } from "./kube-api.ts";

test("names keep within their limits, and those of different releases do not collide", async () => {
  const pools = ["b".repeat(20), `${"b".repeat(19)}c`];
  const scaled = Object.fromEntries(pools.map((name) => [name, { autoscaling: { enabled: true } }]));
  const values = {
    fullnameOverride: "a".repeat(40),
    nodes: { pools: scaled },
    autoscaling: { keda: { prometheusAddress: "http://prometheus.example" } },
  };
  const long = await rendered(JSON.stringify(values));
  // KEDA uses keda-hpa- and the name of a ScaledObject as a label.
  const most = new Map([
    ["Service", 63],
    ["Job", 63],
    ["ScaledObject", 54],
  ]);
  for (const { metadata, kind } of long.objects)
    assert.ok(metadata.name.length <= (most.get(kind) ?? 253), `${kind} ${metadata.name}`);
  const objects = long.ofKind("ScaledObject");
  assert.equal(new Set(objects.map((one) => one.at("metadata", "name"))).size, pools.length);
  const targets = objects.map((one) => String(one.at("spec", "scaleTargetRef", "name")));
  for (const target of targets) assert.ok(long.one("Deployment", target));
  const labels = (await rendered(""))
    .one("Deployment", "rel-svc-controller")
    .at("spec", "selector", "matchLabels");
  assert.equal(Object(labels)["app.kubernetes.io/instance"], RELEASE);
});

test("names and labels that look like numbers stay strings", async () => {
  const { stdout } = await helm(
    ["template", "007", CHART, "-n", "1e3", "-f", good("everything"), "-f", "-"],
    undefined,
    [
      "fullnameOverride: 'null'",
      "nameOverride: 'true'",
      "database: { existingSecret: '1' }",
      "migration: { serviceAccountName: '0x1' }",
      "controller: { serviceAccount: { name: '2' }, priorityClassName: '3', tls: { existingSecret: '4' } }",
      "nodes: { pools: { '5': { runtimeClassName: '6' } } }",
    ].join("\n"),
  );
  const objects = manifestsIn(stdout);
  assert.ok(objects.length > 20);
  for (const { kind, metadata } of objects) {
    assert.equal(metadata.namespace, "1e3", kind);
    for (const value of [metadata.name, ...Object.values(Object(metadata["labels"]))])
      assert.equal(typeof value, "string", `${kind} ${metadata.name}: ${String(value)}`);
  }
  const unquoted = /^\s*(- )?\w*([nN]ame|namespace): ([\d.]+(e\d+)?|0x\d+|null|true|false)$/m;
  assert.doesNotMatch(stdout, unquoted);
});

for (const name of ["4k", "my.svc", "my.scores"]) {
  test(`a release named ${name}, which is not a valid Service name, is refused without fullnameOverride`, async () => {
    const args = ["template", name, CHART, "-f", good("required")];
    const { code, stderr } = await helm(args);
    assert.notEqual(code, 0);
    assert.match(
      stderr,
      new RegExp(`name ${name} starts with a digit or contains a dot.*Set fullnameOverride`),
    );
    assert.equal((await helm([...args, "--set", "fullnameOverride=uhd"])).code, 0);
  });
}
