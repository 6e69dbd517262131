/** The migration and the scoring server, run with the arguments and the environment that the chart gives them. */
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import pg from "pg";
import { PROJECT } from "../../scripts/gates/gate.ts";
import { makeClips } from "../server/clips.ts";
import { score } from "../server/rest-client.ts";
import { ServerProcess } from "../server/server-process.ts";
import { svc } from "../server/svc-process.ts";
import { PostgresCluster } from "../store/postgres.ts";
import { environmentOf, listOf, renderedGood } from "./chart/helm.ts";
import type { ApiAnswer } from "./kube-api.ts";

const containerOf = (object: ApiAnswer) => (member: string) =>
  object.at("spec", "template", "spec", "containers", 0, member);

const argsOf = (object: ApiAnswer): readonly string[] => {
  const args = containerOf(object)("args");
  return Array.isArray(args) ? args.map(String) : [];
};

/** Its variables that are read from Secrets: name, Secret and key. */
function secretsOf(object: ApiAnswer): readonly unknown[][] {
  const read = listOf(containerOf(object)("env")).filter((one) => one.at("valueFrom") !== undefined);
  const of = (one: ApiAnswer, member: string) => one.at("valueFrom", "secretKeyRef", member);
  return read.map((one) => [one.at("name"), of(one, "name"), of(one, "key")]);
}

async function migrationsIn(connectionString: string): Promise<readonly unknown[]> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    const { rows } = await client.query("select name from svc.migration order by number");
    return rows.map(({ name }) => name);
  } finally {
    await client.end();
  }
}

test("the migration creates the schema, and a second run finds it up to date", async () => {
  await using cluster = await PostgresCluster.start();
  const url = await cluster.createDatabase("video");
  const job = (await renderedGood("required")).one("Job", "rel-svc-migrate");
  assert.deepEqual(secretsOf(job), [["SVC_DATABASE_URL", "svc-database", "url"]]);
  const env = { ...environmentOf(job), SVC_DATABASE_URL: url };
  const first = await svc(argsOf(job), env);
  assert.deepEqual([first.code, first.stderr], [0, ""]);
  assert.deepEqual(await migrationsIn(url), readdirSync(join(PROJECT, "migrations")).sort());
  const second = await svc(argsOf(job), env);
  assert.deepEqual([second.code, second.stdout], [0, "The schema is up to date.\n"]);
});

test("the scoring server answers its probes, and scores", async () => {
  await using clips = await makeClips();
  const deployment = (await renderedGood("server-only")).one("Deployment", "rel-svc-server");
  const [command, ...args] = argsOf(deployment);
  assert.equal(command, "server");
  const env = { ...environmentOf(deployment), SVC_MEDIA_ROOT: clips.directory.path };
  await using server = await ServerProcess.start({ args: [...args, "--host", "127.0.0.1"], env });
  for (const probe of ["startupProbe", "readinessProbe", "livenessProbe"]) {
    const path = deployment.at("spec", "template", "spec", "containers", 0, probe, "httpGet", "path");
    assert.equal((await fetch(`${server.rest}${String(path)}`)).status, 200, probe);
  }
  const { status, body } = await score(server, clips.pair);
  assert.equal(status, 200);
  assert.ok(body.score > 0 && body.score <= 100);
  const { code } = (await score(server, { ...clips.pair, reference: "/etc/hostname" })).body;
  assert.equal(code, "PATH_NOT_ALLOWED", "as configured by server.mediaRoots");
  assert.equal(await server.stop(), 0);
});
