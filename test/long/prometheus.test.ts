/** A Prometheus server scrapes a working controller, node and scoring server, and is sent every query. */
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { request } from "node:https";
import { after, before, describe, test } from "node:test";
import { Registry } from "prom-client";
import { SvcTenantsMetrics } from "../../src/kubernetes/svc-tenants-metrics.ts";
import {
  ALERT_QUERIES,
  CHART_QUERIES,
  DOCUMENTED_QUERIES,
  documented,
  type Expression,
  exposed,
  faultsOf,
  type Known,
  PANEL_QUERIES,
  VARIABLE_QUERIES,
} from "../observability/expressions.ts";
import { Prometheus } from "../observability/prometheus.ts";
import { RULE_FILES, RULES } from "../observability/rules.ts";
import { Authority } from "../server/certificates.ts";
import { type Clips, makeClips } from "../server/clips.ts";
import { ControllerProcess } from "../server/controller-process.ts";
import { JobsClient } from "../server/jobs-client.ts";
import { ask } from "../server/rest-client.ts";
import { ServerProcess } from "../server/server-process.ts";
import { until, withTimeout } from "../waiting.ts";

/** Queries about what does not happen here: no tenant is limited, and no API server provides tenants. */
const NOTHING_HERE = [/waits_for="limit"/, /svc_tenants_(age|watch|refused)/, /outcome!="sent"/];
/** Metrics of a controller that writes to an API server. */
const IN_A_CLUSTER = "svc_tenants_status_writes_total";
/** A token as its provider could have signed it, with an unknown key. */
const FORGED = [
  { alg: "RS256", kid: "unknown" },
  { iss: "https://id.example", tid: "acme", exp: 4_102_444_800 },
  {},
]
  .map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"))
  .join(".");

let clips: Clips;
let up: ControllerProcess;
let closed: ControllerProcess;
let server: ServerProcess;
let prometheus: Prometheus;
let known: Known;

before(async () => {
  clips = await makeClips();
  const { directory } = clips;
  [up, closed, server] = await Promise.all([
    ControllerProcess.up({ dataDir: directory.file("up") }),
    closedController(),
    ServerProcess.start(),
  ]);
  const jobs = {
    "svc-controller": [hostOf(up.metrics), hostOf(closed.metrics)],
    "svc-server": [hostOf(server.rest)],
  };
  prometheus = await Prometheus.start(jobs, RULE_FILES);
  await workHappens();
  known = await everythingKnown();
});
after(async () => {
  await prometheus[Symbol.asyncDispose]();
  await Promise.all([up, closed, server].map((one) => one[Symbol.asyncDispose]()));
  await clips[Symbol.asyncDispose]();
});

describe("the metrics of working processes", () => {
  test("are those that docs/metrics.md lists, with its labels", () => {
    const listed = documented();
    const names = [...known.keys()].filter((name) => name.startsWith("svc_"));
    const here = [...listed.keys()].filter((name) => name !== IN_A_CLUSTER);
    assert.deepEqual(names.sort(), here.sort());
    for (const name of names) {
      const unlisted = [...(known.get(name) ?? [])].filter((label) => !listed.get(name)?.has(label));
      assert.deepEqual(unlisted, [], name);
    }
  });

  test("include all that dashboards, alerts, runbooks and the chart query", () => {
    const listed = documented();
    const all = new Map(
      [...known].map(([name, labels]) => [name, new Set([...labels, ...(listed.get(name) ?? [])])]),
    );
    const queries = [
      ...PANEL_QUERIES,
      ...VARIABLE_QUERIES,
      ...ALERT_QUERIES,
      ...DOCUMENTED_QUERIES,
      ...CHART_QUERIES,
    ];
    assert.deepEqual(
      queries.flatMap((query) => faultsOf(query, all)),
      [],
    );
  });
});

describe("Prometheus", () => {
  test("answers every query of a panel once there is data", async () => {
    for (const { where, expr } of [...PANEL_QUERIES, ...VARIABLE_QUERIES]) {
      const isHere = !NOTHING_HERE.some((nothing) => nothing.test(expr));
      const found = await prometheus.query(expr);
      if (isHere && found.length === 0) await until(() => hasAnswer(expr), `an answer to ${where}: ${expr}`);
    }
  });

  test("accepts every query of the runbooks and of docs/metrics.md", async () => {
    for (const { where, expr } of DOCUMENTED_QUERIES) {
      await assert.doesNotReject(prometheus.query(expr), where);
    }
  });

  test("evaluates every rule, and fires none if everything works", async () => {
    await until(
      async () => (await prometheus.rules()).every(({ health }) => health === "ok"),
      "the rules' health",
    );
    assert.equal((await prometheus.rules()).length, RULES.length);
    assert.deepEqual(await prometheus.query('ALERTS{alertstate="firing"}'), []);
  });
});

/** With a tenants file, a certificate and traces, which all have their own metrics. */
async function closedController(): Promise<ControllerProcess> {
  const { directory } = clips;
  const authority = await Authority.open(directory.path, "authority");
  const { cert, key } = await authority.issue("controller");
  const file = directory.file("tenants.json");
  const oidc = { issuer: "https://id.example", jwksEndpoint: "http://127.0.0.1:9/keys" };
  await writeFile(file, JSON.stringify([{ tenantId: "acme", oidc }]));
  return ControllerProcess.start({
    dataDir: directory.file("closed"),
    auth: ["--tenants-file", file],
    args: ["--tls-cert", cert, "--tls-key", key, "--otlp-endpoint", "http://127.0.0.1:9"],
  });
}

/** A job that succeeds, one that fails, a score, and rejected callers. */
async function workHappens(): Promise<void> {
  const jobs = await JobsClient.of(up);
  const once = async (): Promise<void> => {
    const good = (await jobs.submit({ ...clips.pair, noCache: true })).body;
    const bad = (await jobs.submit({ ...clips.pair, distorted: clips.directory.file("missing.mp4") })).body;
    await jobs.until(good.id, "SUCCEEDED");
    await jobs.until(bad.id, "FAILED");
    const body = JSON.stringify(clips.pair);
    const headers = { "content-type": "application/json" };
    assert.equal((await ask(server, "/v1/score", { method: "POST", body, headers })).status, 200);
    assert.equal(await statusOf(`${closed.rest}/v1/jobs`), 401);
  };
  await once();
  // An increase needs two scrapes.
  await until(
    () => hasAnswer("svc_job_score_count > 0 and on (instance) svc_jobs_failed_total > 0"),
    "the first jobs to be scraped",
  );
  await once();
  await until(() => hasAnswer("sum(svc_job_score_count) > 1"), "the second ones");
}

async function everythingKnown(): Promise<Known> {
  const pages = [up.metrics, closed.metrics, server.rest].map(async (at) =>
    (await fetch(`${at}/metrics`)).text(),
  );
  const registry = new Registry();
  assert.ok(new SvcTenantsMetrics(registry, () => []), "the metrics of SvcTenants");
  const all = new Map<string, Set<string>>();
  for (const page of await Promise.all([...pages, registry.metrics()])) {
    for (const [name, labels] of exposed(page)) all.set(name, new Set([...(all.get(name) ?? []), ...labels]));
  }
  return all;
}

async function hasAnswer(expr: Expression["expr"]): Promise<boolean> {
  return (await prometheus.query(expr)).length > 0;
}

function hostOf(url: string): string {
  return new URL(url).host;
}

/** A request with a forged token; any certificate is accepted. */
function statusOf(url: string): Promise<number | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<number | undefined>();
  const headers = { authorization: `Bearer ${FORGED}` };
  request(url, { headers, rejectUnauthorized: false }, (response) => {
    response.resume();
    resolve(response.statusCode);
  })
    .on("error", reject)
    .end();
  return withTimeout(promise, url);
}
