/** Which connections the chart's NetworkPolicies allow, evaluated pod by pod like Kubernetes does. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { good, goodNames, listOf, type Rendered, rendered, renderedGood } from "./chart/helm.ts";
import type { ApiAnswer } from "./kube-api.ts";

type Labels = Readonly<Record<string, string>>;

/** A pod of the release, or another peer; `namespace` undefined is an address outside the cluster. */
interface Place {
  readonly labels: Labels;
  readonly namespace: "own" | "kube-system" | "elsewhere" | undefined;
}

const part = (component: string): Place => ({
  labels: {
    "app.kubernetes.io/name": "svc",
    "app.kubernetes.io/instance": "rel",
    "app.kubernetes.io/component": component,
  },
  namespace: "own",
});
const DNS: Place = { labels: { "k8s-app": "kube-dns" }, namespace: "kube-system" };
const STRANGER: Place = { labels: {}, namespace: "elsewhere" };
const NEIGHBOUR: Place = { labels: {}, namespace: "own" };
const OUTSIDE: Place = { labels: {}, namespace: undefined };

/** The chart uses only `NotIn` expressions. */
const selects = (selector: unknown, labels: Labels) =>
  Object.entries(Object(Object(selector).matchLabels)).every(([name, value]) => labels[name] === value) &&
  listOf(Object(selector).matchExpressions).every(
    (one) =>
      one.at("operator") === "NotIn" &&
      !listOf(one.at("values")).some(({ value }) => value === labels[String(one.at("key"))]),
  );

/** No peers means everybody; address blocks are those outside the cluster. */
function isPeer(peers: unknown, place: Place): boolean {
  const list = listOf(peers);
  return list.length === 0 || list.some((peer) => matches(peer, place));
}

function matches(peer: ApiAnswer, { labels, namespace }: Place): boolean {
  if (peer.at("ipBlock") !== undefined)
    return namespace === undefined && peer.at("ipBlock", "cidr") !== "169.254.0.0/16";
  const pods = selects(peer.at("podSelector"), labels);
  const names = peer.at("namespaceSelector");
  if (names === undefined) return pods && namespace === "own";
  const wanted = Object(Object(names).matchLabels)["kubernetes.io/metadata.name"];
  return pods && namespace !== undefined && (wanted === undefined || wanted === namespace);
}

const isPort = (ports: unknown, port: number) =>
  ports === undefined || listOf(ports).some((one) => one.at("port") === port);

/** Whether one side of a connection allows it: a pod selected by a policy gets only what its policies allow. */
function allows(
  release: Rendered,
  side: "ingress" | "egress",
  [of, peer]: [Place, Place],
  port: number,
): boolean {
  if (of.namespace !== "own") return true;
  const policies = release
    .ofKind("NetworkPolicy")
    .filter((one) => selects(one.at("spec", "podSelector"), of.labels));
  if (policies.length === 0) return true;
  return policies
    .flatMap((one) => listOf(one.at("spec", side)))
    .some(
      (rule) => isPort(rule.at("ports"), port) && isPeer(rule.at(side === "ingress" ? "from" : "to"), peer),
    );
}

const may = (release: Rendered, from: Place, to: Place, port: number) =>
  allows(release, "egress", [from, to], port) && allows(release, "ingress", [to, from], port);

test("a controller reaches what it needs; nodes reach only the controller and DNS", async () => {
  const release = await renderedGood("tenants-watched");
  const [controller, node] = [part("controller"), part("node")];
  for (const port of [5432, 443, 6443]) assert.ok(may(release, controller, OUTSIDE, port), String(port));
  assert.equal(may(release, controller, OUTSIDE, 80), false);
  assert.equal(may(release, controller, node, 9464), false);
  assert.ok(may(release, node, controller, 9090));
  assert.ok(may(release, node, DNS, 53));
  for (const port of [443, 5432, 6443, 80, 9090])
    assert.equal(may(release, node, OUTSIDE, port), false, String(port));
  assert.equal(may(release, node, controller, 8080), false);
  assert.equal(may(release, node, node, 9464), false);
});

test("nodes are reachable only for their metrics", async () => {
  const release = await renderedGood("required");
  assert.ok(may(release, STRANGER, part("node"), 9464));
  for (const port of [8080, 9090, 22]) assert.equal(may(release, STRANGER, part("node"), port), false);
});

test("a controller without SvcTenants reaches no API server, and one without authentication no provider", async () => {
  assert.equal(may(await renderedGood("required"), part("controller"), OUTSIDE, 6443), false);
  const open = await rendered("auth: { enabled: false }");
  assert.equal(may(open, part("controller"), OUTSIDE, 443), false);
  assert.ok(may(open, part("controller"), OUTSIDE, 5432));
});

test("nodes that fetch tokens reach their provider, and traces reach their collector", async () => {
  const values = [
    "tracing: { otlpEndpoint: 'http://collector.monitoring:4318' }",
    "nodes: { credentials: { token: { existingSecret: '' }, oidc: { tokenUrl: 'https://id.example/token', clientId: a, existingSecret: b } } }",
  ].join("\n");
  const release = await rendered(values);
  for (const port of [443, 4318]) assert.ok(may(release, part("node"), OUTSIDE, port), String(port));
});

test("only the configured clients are admitted", async () => {
  const values =
    "networkPolicy: { clients: [{ namespaceSelector: { matchLabels: { kubernetes.io/metadata.name: elsewhere } } }], monitoring: [{ podSelector: {} }] }";
  const release = await rendered(values);
  for (const port of [8080, 9090]) {
    assert.ok(may(release, STRANGER, part("controller"), port));
    assert.ok(may(release, part("test"), part("controller"), port));
    assert.equal(may(release, NEIGHBOUR, part("controller"), port), false);
  }
  assert.ok(may(release, part("node"), part("controller"), 9090));
  assert.equal(may(release, STRANGER, part("controller"), 9464), false);
  assert.ok(may(release, NEIGHBOUR, part("controller"), 9464));
});

test("the migration has its own policy, created before it runs and removed with it", async () => {
  const release = await renderedGood("everything");
  const [job, policy] = [
    release.one("Job", "vmaf-migrate"),
    release.one("NetworkPolicy", "vmaf-migrate"),
  ].map((one) => (name: string) => one.at("metadata", "annotations", `helm.sh/${name}`));
  assert.equal(policy?.("hook"), job?.("hook"));
  assert.equal(policy?.("hook-delete-policy"), job?.("hook-delete-policy"));
  assert.ok(Number(policy?.("hook-weight")) < Number(job?.("hook-weight")));
  // Policies that a release keeps until the next one is installed do not select its pods.
  const formatDuration = release
    .ofKind("NetworkPolicy")
    .filter((one) => one.at("metadata", "annotations", "helm.sh/hook") === undefined)
    .filter((one) => selects(one.at("spec", "podSelector"), part("migrate").labels));
  assert.deepEqual(formatDuration, []);
  assert.ok(may(release, part("migrate"), OUTSIDE, 6432));
});

test("nodes of a controller elsewhere also reach it behind a Service, and only at its address", async () => {
  const release = await rendered("", good("nodes-only"));
  for (const port of [443, 9090]) assert.ok(may(release, part("node"), OUTSIDE, port), String(port));
  const values =
    "networkPolicy: { controller: { ports: [8443], to: [{ namespaceSelector: { matchLabels: { kubernetes.io/metadata.name: elsewhere } } }] } }";
  const narrow = await rendered(values, good("nodes-only"));
  for (const port of [8443, 9090]) assert.ok(may(narrow, part("node"), STRANGER, port), String(port));
  assert.equal(may(narrow, part("node"), STRANGER, 443), false);
  assert.equal(may(narrow, part("node"), OUTSIDE, 9090), false);
});

test("traces go only to the collector's address and port", async () => {
  const values = [
    "tracing: { otlpEndpoint: 'http://collector.elsewhere' }",
    "networkPolicy: { tracing: { ports: [4318], to: [{ namespaceSelector: { matchLabels: { kubernetes.io/metadata.name: elsewhere } } }] } }",
  ].join("\n");
  const release = await rendered(values);
  assert.ok(may(release, part("node"), STRANGER, 4318));
  assert.equal(may(release, part("node"), STRANGER, 80), false);
  assert.equal(may(release, part("node"), OUTSIDE, 4318), false);
});

test("additional egress rules apply to the pods that they name", async () => {
  for (const [value, component] of [
    ["extraServerEgress", "server"],
    ["extraMigrationEgress", "migrate"],
    ["extraControllerEgress", "controller"],
    ["extraNodeEgress", "node"],
  ] as const) {
    const values = `networkPolicy: { ${value}: [{ ports: [{ port: 8125 }] }] }\nserver: { enabled: true, mediaRoots: [/srv] }\nmedia: { volumes: [{ name: srv, mountPath: /srv, persistentVolumeClaim: { claimName: srv } }] }`;
    const release = await rendered(values);
    for (const one of ["server", "migrate", "controller", "node"])
      assert.equal(may(release, part(one), OUTSIDE, 8125), one === component, `${value}: ${one}`);
  }
});

test("the migration reaches the database, and nothing reaches the migration", async () => {
  const release = await renderedGood("required");
  assert.ok(may(release, part("migrate"), OUTSIDE, 5432));
  assert.equal(may(release, part("migrate"), OUTSIDE, 443), false);
  assert.equal(may(release, NEIGHBOUR, part("migrate"), 8080), false);
});

test("the scoring server is open to the namespace, unless clients are named", async () => {
  const release = await renderedGood("server-only");
  assert.ok(may(release, NEIGHBOUR, part("server"), 8080));
  assert.equal(may(release, STRANGER, part("server"), 8080), false);
  assert.equal(may(release, part("server"), OUTSIDE, 443), false);
  const values =
    "networkPolicy: { monitoring: [{ namespaceSelector: { matchLabels: { kubernetes.io/metadata.name: elsewhere } } }] }";
  const watched = await rendered(values, good("server-only"));
  assert.ok(may(watched, STRANGER, part("server"), 8080));
});

test("every pod of a release has a policy, unless policies are disabled", async () => {
  for (const name of goodNames.filter((one) => one !== "auth-disabled")) {
    const release = await renderedGood(name);
    const policies = release.ofKind("NetworkPolicy");
    for (const { of, pod } of release.pods()) {
      const labels = Object(pod.metadata["labels"]);
      const about = policies.filter((one) => selects(one.at("spec", "podSelector"), labels));
      assert.equal(about.length, of.startsWith("Job ") ? 1 : 2, `${name}: ${of}`);
    }
  }
});
