import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import { stringify } from "yaml";
import { ALERT_CASES } from "./alert-cases.ts";
import { promtool, ROOT, RULE_FILES, RULES } from "./rules.ts";

/** Labels of every scraped series. */
const TARGET = { namespace: "video", job: "svc-metrics", instance: "10.0.0.1:9464" };

interface Case {
  readonly alert: string;
  readonly at: number;
  readonly series: Readonly<Record<string, string>>;
  readonly fires: boolean;
}

/** One promtool test: whether an alert fires after a number of minutes with these series. */
function testOf({ alert, at, series, fires }: Case) {
  return {
    interval: "1m",
    input_series: Object.entries(series).map(([name, values]) => ({ series: scraped(name), values })),
    promql_expr_test: [
      {
        expr: `group(ALERTS{alertname="${alert}",alertstate="firing"})`,
        eval_time: `${at}m`,
        exp_samples: fires ? [{ labels: "{}", value: 1 }] : [],
      },
    ],
  };
}

/** Adds the labels of its target, unless the series has others. */
function scraped(series: string): string {
  const [name = "", labels = ""] = series.split(/[{}]/);
  const missing = Object.entries(TARGET).filter(([label]) => !labels.includes(`${label}=`));
  const all = [labels, ...missing.map(([label, value]) => `${label}="${value}"`)].filter(Boolean);
  return `${name}{${all.join(",")}}`;
}

/** Only the rules of one alert, to save time. */
async function judge(cases: readonly Case[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "svc-rules-"));
  try {
    const files = [];
    for (const [alert, own] of Map.groupBy(cases, (one) => one.alert)) {
      const rules = join(folder, `${alert}.rules.yaml`);
      const of = RULES.filter((rule) => rule.alert === alert);
      await writeFile(rules, stringify({ groups: [{ name: alert, rules: of }] }));
      const file = join(folder, `${alert}.yaml`);
      await writeFile(
        file,
        stringify({ rule_files: [rules], evaluation_interval: "1m", tests: own.map(testOf) }),
      );
      files.push(file);
    }
    return await promtool("test", "rules", ...files);
  } finally {
    await rm(folder, { recursive: true });
  }
}

test("Prometheus accepts the rules", async () => {
  assert.match(await promtool("check", "rules", ...RULE_FILES), /SUCCESS/);
});

describe("each alert", () => {
  test("fires for its failure, and not otherwise", async () => {
    const cases = ALERT_CASES.flatMap(({ alert, at, fires, silent }) => [
      { alert, at, series: fires, fires: true },
      { alert, at, series: silent, fires: false },
    ]);
    assert.match(await judge(cases), /SUCCESS/);
  });

  test("is tested: one that does not fire is detected", async () => {
    const [some] = ALERT_CASES;
    assert.ok(some);
    await assert.rejects(
      judge([{ alert: some.alert, at: some.at, series: some.silent, fires: true }]),
      /FAILED/,
    );
    const tested = new Set(ALERT_CASES.map(({ alert }) => alert));
    assert.deepEqual([...new Set(RULES.map(({ alert }) => alert))].sort(), [...tested].sort());
  });

  test("has a severity, a description and a link to its runbook", () => {
    for (const { alert, labels, annotations } of RULES) {
      assert.match(labels["severity"] ?? "", /^(critical|warning|info)$/, alert);
      assert.match(annotations["summary"] ?? "", /^.{10,80}$/, alert);
      assert.match(annotations["description"] ?? "", /^.{30,250}$/, alert);
      assert.equal(annotations["runbook_url"], `docs/runbooks/${alert}.md`);
    }
  });

  test("has a runbook, and each runbook has an alert", () => {
    const runbooks = readdirSync(join(ROOT, "docs/runbooks")).filter((file) => file !== "README.md");
    const alerts = [...new Set(RULES.map(({ alert }) => alert))].sort();
    assert.deepEqual(runbooks.sort(), alerts.map((alert) => `${alert}.md`).sort());
  });
});
