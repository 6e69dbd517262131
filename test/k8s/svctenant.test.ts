/** The schema of SvcTenant: the API server refuses what the controller would refuse. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, describe, test } from "node:test";
import { readEntry } from "../../src/auth/tenants/registry-entry.ts";
import { until } from "../waiting.ts";
import { Cluster } from "./cluster.ts";
import { ACME, ENTRIES, type Entry } from "./entries.ts";
import { ApiAnswer, manifestsIn } from "./kube-api.ts";
import { CRD, tenantResource as resource } from "./svctenants.ts";

const RULES = { allowHttp: false, secrets: true };

let cluster: Cluster;
before(async () => {
  cluster = await Cluster.start();
  await cluster.admin.install(CRD);
});
after(() => cluster[Symbol.asyncDispose]());

function judge({ what, spec, good, exception }: Entry): void {
  const of = exception === undefined ? "" : ` (${exception})`;
  test(`${what} is ${good ? "accepted" : "refused"} by both${of}`, async () => {
    const { realm } = readEntry(spec, RULES);
    assert.equal(realm !== undefined, good, "the controller's result");
    const path = "/apis/svc.dev/v1/namespaces/default/svctenants?fieldValidation=Strict&dryRun=All";
    const reply = await cluster.admin.send("POST", path, resource(spec));
    assert.equal(
      reply.status < 300,
      good === (exception === undefined),
      `the server's response: ${reply.message}`,
    );
    if (realm === undefined || reply.status >= 300) return;
    const stored = new ApiAnswer(reply.body).at("spec");
    assert.deepEqual(
      readEntry(stored, RULES).realm,
      realm,
      "the stored entry means the same as the sent one",
    );
  });
}

describe("an entry", () => {
  for (const entry of ENTRIES) judge(entry);
});

test("the server finds no faults in the schema", async () => {
  const crd = await cluster.admin.get(
    "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/svctenants.svc.dev",
  );
  const conditions = crd.at("status", "conditions");
  const types = (Array.isArray(conditions) ? conditions : []).map((one) => new ApiAnswer(one));
  assert.deepEqual(types.filter((one) => one.at("type") === "NonStructuralSchema").length, 0);
});

test("the message names the member and what is wrong with it", async () => {
  const refuse = async (spec: object) =>
    (await cluster.admin.tryApply(resource({ ...ACME, ...spec }))).message;
  const rbac = { defaultRole: "svc:admin", allowedRoles: ["svc:reader"] };
  assert.match(await refuse({ rbac }), /spec\.rbac\.defaultRole: .*is not among the allowedRoles/);
  const oidc = { ...ACME.oidc, jwksEndpoint: "http://keys.example/" };
  assert.match(
    await refuse({ oidc }),
    /spec\.oidc\.jwksEndpoint: .*must be https, or http on a loopback host/,
  );
  const same = { ...ACME.oidc, rolesClaim: "tid" };
  assert.match(await refuse({ oidc: same }), /spec\.oidc\.rolesClaim: .*is also the tenantClaim/);
});

test("a tenantId cannot be changed, but everything else can", async () => {
  await cluster.admin.apply(resource(ACME, "kept"));
  const reply = await cluster.admin.tryApply(resource({ ...ACME, tenantId: "other" }, "kept"));
  assert.equal(reply.status, 422);
  assert.match(reply.message, /spec\.tenantId: .*cannot be changed/);
  const changed = await cluster.admin.apply(resource({ ...ACME, enabled: false }, "kept"));
  assert.equal(changed.at("metadata", "generation"), 2);
});

test("absent members get their defaults", async () => {
  const answer = await cluster.admin.apply(resource(ACME, "defaults"));
  assert.deepEqual(answer.at("spec"), {
    tenantId: "acme",
    enabled: true,
    oidc: { ...ACME.oidc, tenantClaim: "tid", rolesClaim: "svc_roles" },
  });
});

test("for a client without strict validation unknown members are dropped, and nothing else", async () => {
  const path = "/apis/svc.dev/v1/namespaces/default/svctenants?fieldValidation=Ignore";
  const reply = await cluster.admin.send("POST", path, resource({ ...ACME, disabled: true }, "lax"));
  const stored = new ApiAnswer(reply.ok()).at("spec");
  assert.ok(readEntry(stored, RULES).realm);
});

test("the status is written separately, and only in its form", async () => {
  await cluster.admin.apply(resource(ACME, "written"));
  const path = "/apis/svc.dev/v1/namespaces/default/svctenants/written";
  const merge = "application/merge-patch+json";
  const status = { observedGeneration: 1, conditions: [] };
  const ignored = await cluster.admin.send("PATCH", path, { status }, merge);
  assert.equal(new ApiAnswer(ignored.ok()).at("status"), undefined);
  const written = await cluster.admin.send(
    "PATCH",
    `${path}/status`,
    { status, spec: { enabled: false } },
    merge,
  );
  assert.deepEqual(new ApiAnswer(written.ok()).at("status"), status);
  assert.equal(new ApiAnswer(written.body).at("spec", "enabled"), true);
  const conditions = [{ type: "Ready", status: "Maybe" }];
  assert.equal(
    (await cluster.admin.send("PATCH", `${path}/status`, { status: { conditions } }, merge)).status,
    422,
  );
});

test("kubectl get shows the tenant, whether it is enabled, its issuer and whether it is ready", async () => {
  await cluster.admin.apply(resource(ACME, "shown"));
  const table = await cluster.admin.table("/apis/svc.dev/v1/namespaces/default/svctenants/shown");
  assert.deepEqual(table.columns, ["Name", "Tenant", "Enabled", "Issuer", "Ready", "Reason", "Keys", "Age"]);
  assert.deepEqual(table.rows[0]?.slice(0, 4), ["shown", "acme", true, ACME.oidc.issuer]);
});

test("the example of docs/tenants.md is accepted", async () => {
  const page = await readFile(new URL("../../docs/tenants.md", import.meta.url), "utf8");
  const [, example = ""] = /<<END\n(.*?)^END$/ms.exec(page) ?? [];
  const [manifest] = manifestsIn(example);
  assert.ok(manifest);
  await cluster.namespace(manifest.metadata.namespace ?? "");
  const stored = await cluster.admin.apply(manifest);
  assert.ok(readEntry(stored.at("spec"), RULES).realm);
});

test("every field of the spec has a description", async () => {
  const described = "/openapi/v3/apis/svc.dev/v1";
  await until(() => cluster.admin.answers(described), "the server to describe its resources");
  const openapi = await cluster.admin.get(described);
  const schema = openapi.at("components", "schemas", "dev.svc.v1.SvcTenant", "properties");
  assert.deepEqual(unexplained(new ApiAnswer(schema).at("spec"), "spec"), []);
  const names = await cluster.admin.get("/apis/svc.dev/v1");
  assert.deepEqual(names.at("resources", 0, "shortNames"), ["svct"]);
});

/** Paths of members without a description. */
function unexplained(schema: unknown, path: string): string[] {
  const properties = Object.entries(new ApiAnswer(schema).at("properties") ?? {});
  const below = properties.flatMap(([name, one]) => unexplained(one, `${path}.${name}`));
  return new ApiAnswer(schema).at("description") === undefined ? [path, ...below] : below;
}
