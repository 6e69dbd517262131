/** How many slots a pool wants, evaluated by Prometheus' promtool. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { good, rendered } from "./chart/helm.ts";

const pending = (labels: string, values: string) => ({
  series: `svc_work_pending{namespace="media",${labels}}`,
  values,
});
/** With the labels that the chart's PodMonitor adds. Kubernetes truncates pod names, so they identify nothing. */
const running = (pool: string, values: string) => ({
  series: `svc_node_running{namespace="media",app_kubernetes_io_instance="rel",svc_dev_pool="${pool}",pod="a-very-long-name"}`,
  values,
});
const SCORE = 'kind="SCORE",scorer="vmaf 3.0.0"';
const wanted = (eval_time: string, value?: number) => ({
  expr: "wanted",
  eval_time,
  exp_samples: value === undefined ? [] : [{ labels: "wanted", value }],
});

/** Each controller reports the whole queue. */
const QUEUE = [
  pending(`instance="a",${SCORE},waits_for="node"`, "8 8"),
  pending(`instance="b",${SCORE},waits_for="node"`, "8 8"),
  pending('instance="b",kind="PLAN",waits_for="node"', "4 4"),
  pending('instance="b",kind="SCORE",scorer="vmaf 3a0.0",waits_for="node"', "80 80"),
  pending(`instance="b",${SCORE},waits_for="limit"`, "400 400"),
];
const OTHERS = [
  running("gpu", "_ 30"),
  running("cpu-large", "_ 30"),
  {
    series: 'svc_node_running{namespace="media",app_kubernetes_io_instance="other",svc_dev_pool="cpu"}',
    values: "30 30",
  },
];

/** The wanted slots at the start, before there is a node, and a minute later. */
const CASES = [
  {
    interval: "1m",
    input_series: [...QUEUE, ...OTHERS, running("cpu", "_ 3")],
    promql_expr_test: [wanted("0m", (8 + 4 + 80) / 4), wanted("1m", (8 + 4 + 80) / 4 + 3)],
  },
  // A missing queue size is not zero.
  {
    interval: "1m",
    input_series: [running("cpu", "3 3")],
    promql_expr_test: [wanted("1m")],
  },
  // Missing pool labels are not zero either.
  {
    interval: "1m",
    input_series: [...QUEUE, { series: 'svc_node_running{namespace="media"}', values: "3 3" }],
    promql_expr_test: [wanted("1m")],
  },
];

/** Evaluates the scaling query of the pool cpu with promtool. */
async function judge(values: string, tests: readonly object[]): Promise<string> {
  const [scaled] = (await rendered(values, good("everything"))).ofKind("ScaledObject");
  const expr = scaled?.at("spec", "triggers", 0, "metadata", "query");
  const folder = mkdtempSync(join(tmpdir(), "svc-scaling-"));
  const rules = { groups: [{ name: "scaling", rules: [{ record: "wanted", expr }] }] };
  // JSON is valid YAML.
  writeFileSync(join(folder, "rules.yaml"), JSON.stringify(rules));
  writeFileSync(
    join(folder, "tests.yaml"),
    JSON.stringify({ rule_files: ["rules.yaml"], evaluation_interval: "1m", tests }),
  );
  try {
    return execFileSync("promtool", ["test", "rules", join(folder, "tests.yaml")], { encoding: "utf8" });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test("wants a slot for every four waiting tasks, and for each running task of the pool", async () => {
  assert.match(await judge("", CASES), /SUCCESS/);
});

test("a name of forty characters gives the same result", async () => {
  assert.match(await judge(`fullnameOverride: ${"a".repeat(40)}`, CASES), /SUCCESS/);
});

test("a pool with its own scorer counts tasks for that scorer, and tasks for any", async () => {
  const values = "nodes: { pools: { cpu: { autoscaling: { scorer: vmaf 3.0.0 } } } }";
  const alone = {
    interval: "1m",
    input_series: QUEUE,
    promql_expr_test: [wanted("1m", (8 + 4) / 4)],
  };
  assert.match(await judge(values, [alone]), /SUCCESS/);
});
