/** The chart as helm renders it: what each value produces. */
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { parse } from "yaml";
import { PROJECT } from "../../scripts/gates/gate.ts";
import {
  CHART,
  environmentOf,
  good,
  goodNames,
  helm,
  listOf,
  NAMESPACE,
  RELEASE,
  rendered,
  renderedGood,
  templateOf,
} from "./chart/helm.ts";
import type { ApiAnswer } from "./kube-api.ts";

const podOf = (object: ApiAnswer, ...path: (string | number)[]) =>
  object.at("spec", "template", "spec", ...path);

const isController = (object: ApiAnswer) => podOf(object, "containers", 0, "name") === "controller";

test("good values pass helm lint --strict", async () => {
  for (const name of goodNames) {
    const { code, stdout, stderr } = await helm(["lint", "--strict", CHART, "-f", good(name)]);
    assert.equal(code, 0, `${name}: ${stdout}${stderr}`);
  }
});

test("creates no Secret, and writes no Secret's value anywhere", async () => {
  for (const name of goodNames) {
    const release = await renderedGood(name);
    assert.deepEqual(release.ofKind("Secret"), [], name);
  }
});

test("a controller reads its database URL from the named Secret, and fails to start without it", async () => {
  const release = await renderedGood("everything");
  const env = listOf(podOf(release.one("Deployment", "vmaf-controller"), "containers", 0, "env"));
  const url = env.find((one) => one.at("name") === "SVC_DATABASE_URL");
  assert.deepEqual(url?.at("valueFrom", "secretKeyRef"), { name: "svc-database", key: "DATABASE_URL" });
});

test("allowed hosts are flags, and include the pod's own address, at which it is scraped", async () => {
  const release = await renderedGood("everything");
  for (const [name, hosts] of [
    ["vmaf-controller", ["svc.example", "vmaf-controller.media.svc", "[fd00::5]"]],
    ["vmaf-server", ["vmaf-server"]],
  ] as const) {
    const part = release.one("Deployment", name);
    const args = podOf(part, "containers", 0, "args");
    assert.ok(Array.isArray(args));
    const flags = [...hosts, "$(OWN_ADDRESS)"].map((host) => `--allowed-hosts=${host}`);
    assert.deepEqual(args.slice(1, flags.length + 1), flags);
    const own = listOf(podOf(part, "containers", 0, "env")).find((one) => one.at("name") === "OWN_ADDRESS");
    assert.equal(own?.at("valueFrom", "fieldRef", "fieldPath"), "status.podIP");
  }
  const open = (await renderedGood("required")).one("Deployment", "rel-svc-controller");
  assert.deepEqual(podOf(open, "containers", 0, "args"), ["controller"]);
  assert.doesNotMatch(JSON.stringify(podOf(open, "containers", 0, "env")), /OWN_ADDRESS/);
});

test("the variables of a controller are those of its values, with integers written in full", async () => {
  const release = await renderedGood("everything");
  const env = environmentOf(release.one("Deployment", "vmaf-controller"));
  assert.equal(env["SVC_TENANT_SUBMITS_PER_SECOND"], "1000000");
  assert.equal(env["SVC_WORST_STILLS"], "0");
  assert.equal(env["SVC_DEFAULT_MODEL"], "v1:v1-phone");
  assert.equal(env["SVC_FINDINGS"], "warn:ignore:BLACK:refuse:OFFSET");
  assert.equal(env["SVC_MEDIA_ROOT"], "/media/{tenant}:/media/shared");
  assert.equal(env["SVC_TENANTS_SOURCE"], "kubernetes");
  assert.equal(env["SVC_TRACE_SAMPLE"], "0.25");
  assert.equal(env["SVC_JWKS_ENDPOINT"], undefined);
  assert.equal(env["SVC_AUDIT_LOG"], "-");
});

test("with a tenants file or SvcTenants, a controller gets no other provider", async () => {
  for (const name of ["tenants-file", "tenants-watched", "everything"]) {
    const [controller] = (await renderedGood(name)).ofKind("Deployment").filter(isController);
    assert.ok(controller);
    const provided = Object.keys(environmentOf(controller)).filter((one) =>
      /^SVC_(JWKS|AUTH_(ISSUER|AUDIENCE|TENANT|ROLES))/.test(one),
    );
    assert.deepEqual(provided, [], name);
  }
});

test("a value that looks like a variable reference stays literal", async () => {
  const env = environmentOf(
    (await rendered("auth: { audience: '$(SVC_DATABASE_URL)' }")).one("Deployment", "rel-svc-controller"),
  );
  assert.equal(env["SVC_AUTH_AUDIENCE"], "$$(SVC_DATABASE_URL)");
});

test("only auth.enabled=false disables authentication", async () => {
  for (const name of goodNames) {
    const release = await renderedGood(name);
    const controllers = release.ofKind("Deployment").filter(isController);
    // Always explicit, because an absent variable could come from extraEnvFrom.
    for (const one of controllers)
      assert.equal(environmentOf(one)["SVC_AUTH_DISABLED"], String(name === "auth-disabled"), name);
  }
});

test("only controllers that follow SvcTenants get a token for the API server", async () => {
  const following = new Map([
    ["everything", "Deployment vmaf-controller"],
    ["tenants-watched", "Deployment rel-svc-controller"],
  ]);
  for (const name of goodNames) {
    const release = await renderedGood(name);
    const withToken = release.pods().filter(({ pod }) => {
      const spec = pod["spec"] as { automountServiceAccountToken?: boolean };
      return spec.automountServiceAccountToken !== false;
    });
    const expected = following.get(name);
    assert.deepEqual(
      withToken.map(({ of }) => of),
      expected === undefined ? [] : [expected],
      name,
    );
    assert.equal(release.ofKind("Role").length, expected === undefined ? 0 : 1, name);
  }
});

test("hooks need nothing that the release creates", async () => {
  const release = await renderedGood("everything");
  const job = release.one("Job", "vmaf-migrate");
  const made = new Set(release.ofKind("ServiceAccount").map((one) => one.at("metadata", "name")));
  assert.equal(made.has(podOf(job, "serviceAccountName")), false);
  assert.deepEqual(job.at("metadata", "annotations", "helm.sh/hook"), "pre-install,pre-upgrade");
});

test("the migration is scheduled like controllers, plus its own settings", async () => {
  const release = await renderedGood("everything");
  const job = release.one("Job", "vmaf-migrate");
  const controller = release.one("Deployment", "vmaf-controller");
  for (const name of ["affinity", "nodeSelector", "tolerations"]) {
    assert.notEqual(podOf(job, name), undefined, name);
    assert.deepEqual(podOf(job, name), podOf(controller, name), name);
  }
  assert.equal(environmentOf(job)["PGSSLROOTCERT"], "/schema/ca.crt");
  assert.equal(job.at("spec", "template", "metadata", "annotations", "sidecar.istio.io/inject"), "false");
  assert.equal(job.at("spec", "template", "metadata", "labels", "example.com/tier"), "schema");
  const mounts = listOf(podOf(job, "containers", 0, "volumeMounts")).map((one) => one.at("mountPath"));
  assert.ok(mounts.includes("/schema"));
});

test("pods get more time to stop than they need", async () => {
  const values =
    "controller: { drainTimeout: 100, preStopSeconds: 7 }\nnodes: { defaults: { drainTimeout: 500 } }";
  const release = await rendered(values);
  const long = await rendered("controller: { terminationGracePeriodSeconds: 1000000 }");
  const given = podOf(long.one("Deployment", "rel-svc-controller"), "terminationGracePeriodSeconds");
  assert.equal(given, 1_000_000);
  const grace = (name: string) =>
    Number(podOf(release.one("Deployment", name), "terminationGracePeriodSeconds"));
  assert.ok(grace("rel-svc-controller") > 7 + 100 + 2.5 + 3 + 10 + 10, "docs/high-availability.md");
  assert.ok(grace("rel-svc-node-cpu") > 500 + 16, "docs/node.md");
});

test("an upgrade changes no immutable field", async () => {
  const values = [
    "image: { tag: '9.9.9' }",
    "commonLabels: { team: other }",
    "controller: { replicas: 5, podLabels: { a: b } }",
  ].join("\n");
  const [before, after] = [await rendered(""), await rendered(values)];
  for (const { at } of before.ofKind("Deployment").map((one) => ({ at: one }))) {
    const name = String(at.at("metadata", "name"));
    const later = after.one("Deployment", name);
    assert.deepEqual(later.at("spec", "selector"), at.at("spec", "selector"), name);
  }
});

test("accepts the values in the documentation", async () => {
  const folder = mkdtempSync(join(tmpdir(), "svc-chart-"));
  const first = join(folder, "first.yaml");
  for (const page of ["docs/kubernetes.md", "deploy/chart/README.md"]) {
    const text = readFileSync(join(PROJECT, page), "utf8");
    const [whole = "", ...parts] = [...text.matchAll(/^```yaml\n(.*?)^```$/gms)].map(([, yaml = ""]) => yaml);
    writeFileSync(first, whole);
    for (const values of ["", ...parts]) {
      const { code, stderr } = await templateOf(values, first);
      assert.equal(code, 0, `${page}: ${values}${stderr}`);
    }
  }
  rmSync(folder, { recursive: true });
});

const flagOf = (variable: string): string =>
  `--${variable.replace(/^SVC_/, "").toLowerCase().replaceAll("_", "-")}`;

test("refuses variables and flags that the chart sets, and names the value to use", async () => {
  const release = await renderedGood("everything");
  const parts = [
    ["controller", "controller", "vmaf-controller"],
    ["server", "server", "vmaf-server"],
    ["nodes: { defaults", "nodes.defaults", "vmaf-node-gpu"],
  ] as const;
  for (const [key, path, name] of parts) {
    const env = listOf(podOf(release.one("Deployment", name), "containers", 0, "env"));
    const names = env.map((one) => String(one.at("name"))).filter((one) => one !== "NODE_OPTIONS");
    assert.ok(names.length > 5);
    const extra = JSON.stringify(names.map((one) => ({ name: one, value: "1" })));
    const flags = names.filter((one) => one.startsWith("SVC_")).map(flagOf);
    const args = JSON.stringify(flags.map((flag, at) => (at % 2 === 0 ? flag : `${flag}=1`)));
    const { stderr } = await templateOf(
      `${key}: { extraEnv: ${extra}, extraArgs: ${args} } ${key.includes("{") ? "}" : ""}`,
    );
    for (const [at, one] of names.entries())
      assert.match(stderr, new RegExp(`^${path}\\.extraEnv\\[${at}\\] is ${one}, which is set by .`, "m"));
    for (const [at, one] of flags.entries())
      assert.match(stderr, new RegExp(`^${path}\\.extraArgs\\[${at}\\] is ${one}, which is set by .`, "m"));
  }
  for (const flag of ["--auth-disabled", "--port", "--metrics-port", "--jwks-endpoint", "--tenants-source"]) {
    const { stderr } = await templateOf(`controller: { extraArgs: [${flag}] }`);
    assert.match(stderr, new RegExp(`^controller\\.extraArgs\\[0\\] is ${flag}, which is set by .`, "m"));
  }
});

test("the named value exists", async () => {
  const values: unknown = parse(readFileSync(join(CHART, "values.yaml"), "utf8"));
  const release = await renderedGood("everything");
  const parts = ["vmaf-controller", "vmaf-server", "vmaf-node-gpu"].map((name) =>
    Object.keys(environmentOf(release.one("Deployment", name))),
  );
  const extra = JSON.stringify([...new Set(parts.flat())].map((name) => ({ name, value: "1" })));
  for (const path of ["controller", "server", "nodes.defaults"]) {
    const keys = path.split(".");
    const given = keys.reduceRight((inner, key) => `{ ${key}: ${inner} }`, `{ extraEnv: ${extra} }`);
    const { stderr } = await templateOf(given);
    const named = [...stderr.matchAll(/ is (\w+), which is set by ([\w.]+)\./g)];
    const own = named.filter(([, , value = ""]) => value.startsWith(`${path}.`));
    assert.ok(own.length > 2);
    for (const [, name, value = ""] of own) {
      const at = value
        .split(".")
        .reduce<unknown>((all, key) => (all as Record<string, unknown>)[key], values);
      assert.notEqual(at, undefined, `${name}: ${value}`);
    }
  }
});

test("the notes list every Secret, warn of what is open, and state the next steps", async () => {
  const notes = async (name: string, values = "") => {
    const args = [
      "install",
      RELEASE,
      CHART,
      "-n",
      NAMESPACE,
      "--dry-run=client",
      "-f",
      good(name),
      "-f",
      "-",
    ];
    const { stdout, stderr, code } = await helm(args, undefined, values);
    assert.equal(code, 0, stderr);
    return stdout.slice(stdout.indexOf("\nNOTES:"));
  };
  const all = await notes("everything");
  for (const secret of [
    "svc-database/DATABASE_URL",
    "svc-tls/tls.key",
    "svc-client-ca/ca.crt",
    "svc-node/client-secret",
    "svc-node-tls/tls.crt",
    "svc-node-tls/tls.key",
    "ConfigMap authorities/bundle.pem",
  ])
    assert.match(all, new RegExp(`^ {2}${secret}: `, "m"));
  assert.match(all, /kubectl -n media get svctenants/);
  assert.match(all, /helm test rel -n media/);
  assert.match(all, /The scoring server has no authentication/);
  assert.doesNotMatch(all, /AUTHENTICATION IS OFF/);
  assert.match(await notes("auth-disabled"), /AUTHENTICATION IS OFF/);
  assert.match(
    await notes("tenants-watched"),
    /All callers are refused until there is a SvcTenant in namespace media/,
  );
  assert.doesNotMatch(await notes("tenants-watched"), /: not used\./);
  const unread = await notes("required", "auth: { tenantsSource: kubernetes, audience: svc }");
  assert.match(unread, /^! auth\.audience, auth\.issuer, auth\.jwksEndpoint: not used\./m);
  assert.match(await notes("tenants-file"), /^ {2}ConfigMap svc-tenants\/tenants\.yaml: tenants file$/m);
  assert.match(await notes("required"), /media\.roots is empty: every job is refused/);
  assert.match(await notes("baseline"), /media volume host is of a kind/);
  assert.match(await notes("server-only"), /Prometheus cannot read the scoring server's metrics/);
  assert.doesNotMatch(all, /Prometheus cannot read/);
});
