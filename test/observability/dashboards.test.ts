import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { DASHBOARDS, documented, exposed, faultsOf, PANEL_QUERIES, VARIABLE_QUERIES } from "./expressions.ts";
import { ROOT } from "./rules.ts";

describe("each dashboard", () => {
  test("has a unique URL, a selectable data source, and panels that do not overlap", () => {
    assert.deepEqual(
      DASHBOARDS.map(({ uid }) => uid),
      ["svc-nodes", "svc-quality", "svc-service", "svc-tenants"],
    );
    for (const { title, panels, templating, schemaVersion } of DASHBOARDS) {
      assert.ok(schemaVersion >= 39, title);
      assert.equal(templating.list[0]?.type, "datasource");
      const ids = panels.map(({ id }) => id);
      assert.equal(new Set(ids).size, ids.length, `${title}: ids`);
      const taken = new Map<string, string>();
      for (const { title: panel, gridPos } of panels) {
        assert.ok(gridPos.x + gridPos.w <= 24, `${title} / ${panel} exceeds the grid`);
        for (const cell of cellsOf(gridPos)) {
          assert.equal(taken.get(cell), undefined, `${title}: ${panel} overlaps ${taken.get(cell)}`);
          taken.set(cell, panel);
        }
      }
    }
  });

  test("gives each panel a description, a unit, and a link to its runbook", () => {
    for (const { title, panels } of DASHBOARDS) {
      for (const { title: panel, type, description, fieldConfig, targets, links } of panels) {
        if (type === "row") continue;
        const where = `${title} / ${panel}`;
        assert.match(description ?? "", /^.{15,}\.$/, where);
        assert.ok(fieldConfig?.defaults.unit, where);
        assert.ok(targets && targets.length > 0, where);
        for (const { url } of links ?? []) {
          const [, runbook] = /^\$\{runbooks\}\/(\w+\.md)$/.exec(url) ?? [];
          assert.ok(runbook && existsSync(join(ROOT, "docs/runbooks", runbook)), `${where}: ${url}`);
        }
      }
    }
  });

  test("queries only documented metrics and labels", () => {
    const known = new Map([...documented(), ...exposed(PROCESS)]);
    const faults = [...PANEL_QUERIES, ...VARIABLE_QUERIES].flatMap((query) => faultsOf(query, known));
    assert.deepEqual(faults, []);
  });
});

describe("a wrong name", () => {
  const known = new Map([["svc_jobs_ended_total", new Set(["state"])]]);
  const faults = (expr: string) => faultsOf({ where: "planted", expr }, known);

  test("is found in a metric, in a matcher and in a grouping", () => {
    assert.deepEqual(faults('sum by (state) (rate(svc_jobs_ended_total{state="FAILED",job="x"}[5m]))'), []);
    assert.deepEqual(faults("rate(svc_jobs_finished_total[5m])"), [
      "planted: there is no metric svc_jobs_finished_total",
    ]);
    assert.deepEqual(faults('svc_jobs_ended_total{status="FAILED"}'), [
      "planted: svc_jobs_ended_total has no label status",
    ]);
    assert.deepEqual(faults("sum by (status) (svc_jobs_ended_total)"), [
      "planted: nothing there has the label status",
    ]);
    assert.deepEqual(faults("svc_jobs_ended_total_bucket"), [
      "planted: there is no metric svc_jobs_ended_total_bucket",
    ]);
  });
});

/** The process metrics of prom-client that the dashboards query. */
const PROCESS = [
  ...["process_cpu_seconds_total", "process_resident_memory_bytes", "nodejs_eventloop_lag_p99_seconds"],
]
  .map((name) => `# TYPE ${name} gauge`)
  .join("\n");

function cellsOf({ x, y, w, h }: { x: number; y: number; w: number; h: number }): string[] {
  return Array.from({ length: w * h }, (_, n) => `${x + (n % w)} ${y + Math.floor(n / w)}`);
}
