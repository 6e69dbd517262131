/** Pools of nodes: their settings, threads per score, and scaling. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { environmentOf, listOf, rendered, renderedGood } from "./chart/helm.ts";
import type { ApiAnswer } from "./kube-api.ts";

const podOf = (object: ApiAnswer, ...path: (string | number)[]) =>
  object.at("spec", "template", "spec", ...path);

test("a pool has its own values and those of all pools; empty values and zeros count too", async () => {
  const release = await renderedGood("hpa");
  const acme = release.one("Deployment", "rel-svc-node-acme");
  const secret = listOf(podOf(acme, "volumes")).find((one) => one.at("name") === "credentials");
  assert.equal(secret?.at("secret", "secretName"), "svc-node-acme");
  assert.equal(environmentOf(acme)["SVC_SLOTS"], "2");
  assert.equal(release.one("Deployment", "rel-svc-node-still").at("spec", "replicas"), 0);
  const other = await rendered(
    [
      "nodes:",
      "  pools:",
      "    cpu: { slots: 8, log: { level: debug }, tmp: { inMemory: true }, resources: { limits: { memory: 2Gi } } }",
      "    plain: { tmp: { inMemory: false } }",
    ].join("\n"),
  );
  const cpu = other.one("Deployment", "rel-svc-node-cpu");
  assert.deepEqual(podOf(cpu, "containers", 0, "resources"), { limits: { memory: "2Gi" } });
  assert.equal(environmentOf(cpu)["SVC_LOG_LEVEL"], "debug");
  assert.equal(environmentOf(cpu)["SVC_LOG_FORMAT"], "json");
  assert.deepEqual(podOf(cpu, "volumes", 0, "emptyDir"), { medium: "Memory", sizeLimit: "2Gi" });
});

test("a pool with its own tag or repository does not use the digest of another image", async () => {
  const digest = `sha256:${"0123456789abcdef".repeat(4)}`;
  const other = `sha256:${"f".repeat(64)}`;
  const image = { repository: "registry.example/svc", tag: "1", digest };
  const pools = {
    same: {},
    gpu: { image: { tag: "1-cuda" } },
    elsewhere: { image: { repository: "registry.example/cuda" } },
    exact: { image: { tag: "1-cuda", digest: other } },
    pulled: { image: { pullPolicy: "Always" } },
  };
  const expected = {
    same: `registry.example/svc@${digest}`,
    gpu: "registry.example/svc:1-cuda",
    elsewhere: "registry.example/cuda:1",
    exact: `registry.example/svc@${other}`,
    pulled: `registry.example/svc@${digest}`,
  };
  const imagesOf = async (values: object) => {
    const release = await rendered(JSON.stringify(values));
    return (pool: string) =>
      podOf(release.one("Deployment", `rel-svc-node-${pool}`), "containers", 0, "image");
  };
  const own = await imagesOf({ image, nodes: { pools } });
  for (const [pool, found] of Object.entries(expected)) assert.equal(own(pool), found, pool);
  const ofAll = { defaults: { image: { tag: "1-slim", digest: other } }, pools };
  const below = await imagesOf({ image, nodes: ofAll });
  assert.equal(below("same"), `registry.example/svc@${other}`);
  assert.equal(below("gpu"), "registry.example/svc:1-cuda");
});

test("threads are twice the cores of the CPU limit divided by the slots, at most the cores", async () => {
  const pools = [
    ["a", "slots: 3, resources: { limits: { cpu: 8 } }", "5"],
    ["b", "slots: 8, resources: { limits: { cpu: '4' } }", "1"],
    ["c", "resources: { limits: { cpu: 2500m } }", "2"],
    ["d", "resources: { limits: { cpu: 250m } }", "1"],
    ["e", "resources: { limits: { cpu: 1.5 } }", "1"],
    ["f", "resources: { requests: { cpu: 3 } }", "0"],
    ["g", "threads: 7, resources: { limits: { cpu: 2 } }", "7"],
  ] as const;
  const release = await rendered(
    `nodes: { pools: { ${pools.map(([name, of]) => `${name}: { ${of} }`).join(", ")} } }`,
  );
  for (const [name, of, threads] of pools) {
    const env = environmentOf(release.one("Deployment", `rel-svc-node-${name}`));
    assert.equal(env["SVC_THREADS"], threads, of);
  }
});

test("a pool that scales with the backlog has no fixed size, and queries waiting and running tasks", async () => {
  const keda = await renderedGood("everything");
  assert.equal(keda.one("Deployment", "vmaf-node-cpu").at("spec", "replicas"), undefined);
  const scaled = keda.one("ScaledObject", "vmaf-node-cpu");
  assert.equal(scaled.at("spec", "minReplicaCount"), 0);
  const trigger = new Map(Object.entries(Object(scaled.at("spec", "triggers", 0, "metadata"))));
  assert.equal(
    trigger.get("query"),
    '(sum(max by (kind, scorer) (svc_work_pending{namespace="media",waits_for="node"})) / 4 ' +
      '+ (sum(svc_node_running{namespace="media",app_kubernetes_io_instance="rel",svc_dev_pool="cpu"}) or vector(0))) ' +
      'unless on () svc_node_running{namespace="media",svc_dev_pool=""}',
  );
  // With a fallback, KEDA would set a fixed number of nodes when Prometheus does not answer.
  assert.equal(scaled.at("spec", "fallback"), undefined);
  const [monitor] = keda.ofKind("PodMonitor");
  const labels = listOf(monitor?.at("spec", "podTargetLabels")).map(({ value }) => value);
  for (const label of ["app.kubernetes.io/instance", "svc.dev/pool"])
    assert.ok(labels.includes(label), label);
  assert.equal(trigger.get("threshold"), "4");
  const hpa = (await renderedGood("hpa")).one("HorizontalPodAutoscaler", "rel-svc-node-acme");
  assert.equal(hpa.at("spec", "metrics", 0, "external", "target", "averageValue"), "16");
  assert.equal(hpa.at("spec", "metrics", 1, "pods", "target", "averageValue"), "2");
});

test("a pool whose nodes all stop before new ones start uses no rolling update", async () => {
  const release = await renderedGood("nodes-only");
  const pool = release.one("Deployment", "rel-svc-node-cpu");
  assert.deepEqual(pool.at("spec", "strategy"), { type: "Recreate" });
});
