/** The chart's monitoring resources match the rules, the dashboards and the processes. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { test } from "node:test";
import { parse } from "yaml";
import {
  CHART,
  good,
  goodNames,
  listOf,
  NAMESPACE,
  type Rendered,
  rendered,
  renderedGood,
} from "./chart/helm.ts";
import type { ApiAnswer } from "./kube-api.ts";

const filesIn = (pattern: string) => globSync(pattern, { cwd: CHART }).map((path) => join(CHART, path));

/** The groups of a release's PrometheusRule. */
function groupsOf(release: Rendered): ApiAnswer[] {
  return release.ofKind("PrometheusRule").flatMap((rule) => listOf(rule.at("spec", "groups")));
}

/** Without the namespace matcher that the chart adds. */
const unscoped = (expr: string) =>
  expr.replaceAll(/\{namespace="media"\}/g, "").replaceAll(/\{namespace="media",/g, "{");

test("the PrometheusRule has every group of alerts/, limited to the release's namespace", async () => {
  const groups = filesIn("alerts/*.yaml").flatMap((path) => parse(readFileSync(path, "utf8")).groups);
  assert.ok(groups.length > 0);
  const made = groupsOf(await renderedGood("everything")).map(({ value }) =>
    JSON.parse(JSON.stringify(value), (name, one) => (name === "expr" ? unscoped(one) : one)),
  );
  const byName = (list: { name: string }[]) => new Map(list.map((group) => [group.name, group]));
  assert.deepEqual(byName(made), byName(groups));
  for (const group of groupsOf(await renderedGood("everything"))) {
    for (const rule of listOf(group.at("rules"))) {
      const expr = String(rule.at("expr"));
      const metrics = expr.match(/\b(svc_|process_|nodejs_|up\b)\w*/g) ?? [];
      const scopes = expr.match(/\{namespace="media"/g) ?? [];
      assert.equal(scopes.length, metrics.length, expr);
    }
  }
});

test("without controllers no alert fires for a missing one, and the others stay", async () => {
  const release = await rendered("monitoring: { rules: { enabled: true } }", good("server-only"));
  const [there, all] = [release, await renderedGood("everything")].map((one) =>
    groupsOf(one).flatMap((group) => listOf(group.at("rules")).map((rule) => String(rule.at("alert")))),
  );
  assert.deepEqual(
    all?.filter((alert) => there?.includes(alert) !== true),
    ["SvcNoController"],
  );
});

test("a release that is down is detected, even if another namespace has one that runs", async () => {
  const folder = mkdtempSync(join(tmpdir(), "svc-rules-"));
  const groups = groupsOf(await renderedGood("everything")).map(({ value }) => value);
  writeFileSync(join(folder, "rules.yaml"), JSON.stringify({ groups }));
  const expr = 'group(ALERTS{alertname="SvcNoController",alertstate="firing"})';
  const alive = (namespace: string) =>
    ["svc_store_up", "svc_queue_ready", "up"].map((name) => ({
      series: `${name}{namespace="${namespace}",job="svc-metrics",instance="a"}`,
      values: "1x20",
    }));
  const judged = (namespace: string, exp_samples: readonly object[]) => ({
    interval: "1m",
    input_series: alive(namespace),
    promql_expr_test: [{ expr, eval_time: "10m", exp_samples }],
  });
  const tests = [judged("staging", [{ labels: "{}", value: 1 }]), judged(NAMESPACE, [])];
  const file = join(folder, "tests.yaml");
  writeFileSync(file, JSON.stringify({ rule_files: ["rules.yaml"], evaluation_interval: "1m", tests }));
  try {
    assert.match(
      execFileSync("promtool", ["check", "rules", join(folder, "rules.yaml")], { encoding: "utf8" }),
      /SUCCESS/,
    );
    assert.match(execFileSync("promtool", ["test", "rules", file], { encoding: "utf8" }), /SUCCESS/);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("each dashboard is a ConfigMap with exactly its content, which Grafana's sidecar finds", async () => {
  const files = filesIn("dashboards/*.json");
  assert.ok(files.length > 0);
  const release = await renderedGood("everything");
  for (const path of files) {
    const name = basename(path);
    const map = release.one("ConfigMap", `vmaf-dashboard-${name.replace(".json", "")}`);
    assert.equal(map.at("data", name), readFileSync(path, "utf8"));
    assert.equal(map.at("metadata", "labels", "grafana_dashboard"), "1");
  }
  assert.equal(release.ofKind("ConfigMap").length, files.length);
});

test("links of alerts and dashboards start with the URL of the published runbooks", async () => {
  const release = await renderedGood("hpa");
  const [rule] = release.ofKind("PrometheusRule");
  const urls = listOf(rule?.at("spec", "groups")).flatMap((group) =>
    listOf(group.at("rules")).map((alert) => String(alert.at("annotations", "runbook_url"))),
  );
  assert.ok(urls.length > 0);
  for (const url of urls) assert.match(url, /^https:\/\/wiki\.example\/svc\/runbooks\/Svc\w+\.md$/);
  const dashboards = release.ofKind("ConfigMap");
  assert.ok(dashboards.length > 0);
  for (const dashboard of dashboards) {
    assert.match(JSON.stringify(dashboard.at("data")), /https:\/\/wiki\.example\/svc\/runbooks[^/]/);
  }
});

test("monitors name existing ports of Services and pods that they select", async () => {
  const checked = { endpoints: 0, podMonitors: 0, pools: 0 };
  for (const name of goodNames) {
    const release = await renderedGood(name);
    const services = release
      .ofKind("Service")
      .filter((one) => one.at("metadata", "labels", "svc.dev/metrics") === "true");
    const ports = new Set(
      services.flatMap((one) => listOf(one.at("spec", "ports")).map((port) => port.at("name"))),
    );
    for (const monitor of release.ofKind("ServiceMonitor")) {
      for (const endpoint of listOf(monitor.at("spec", "endpoints"))) {
        checked.endpoints++;
        assert.ok(ports.has(endpoint.at("port")), name);
      }
    }
    for (const monitor of release.ofKind("PodMonitor")) {
      checked.podMonitors++;
      assert.equal(monitor.at("spec", "podMetricsEndpoints", 0, "port"), "metrics");
      const pools = release
        .ofKind("Deployment")
        .filter((one) => one.at("metadata", "labels", "svc.dev/pool") !== undefined);
      const first = ["spec", "template", "spec", "containers", 0, "ports", 0, "name"] as const;
      checked.pools += pools.length;
      for (const pool of pools) assert.equal(pool.at(...first), "metrics");
    }
  }
  for (const [what, count] of Object.entries(checked)) assert.ok(count > 0, `no ${what} were checked`);
});

test("pools are scaled by existing metrics and labels", () => {
  const documented = readFileSync(join(CHART, "..", "..", "docs", "metrics.md"), "utf8");
  assert.match(documented, /\| `svc_work_pending` \| gauge \| `kind`, `scorer`, `waits_for` \|/);
  assert.match(documented, /\| `svc_node_running` \| gauge \| \|/);
});
