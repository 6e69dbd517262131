/** Storages in the chart: in SvcTenants, in the controllers' role, in network policies, and the cache of nodes. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { environmentOf, listOf, rendered, renderedGood, templateOf } from "./chart/helm.ts";

const STORAGES = `
auth:
  issuer: https://id.example
  jwksEndpoint: https://id.example/keys
  fleetTenant: fleet
  storageSecrets: [other-storage]
  tenants:
    - tenantId: fleet
    - tenantId: acme
      storages:
        - s3: { region: eu-central-1, buckets: [masters], credentials: { secretName: acme-storage } }
        - s3: { endpoint: "http://minio.storage:9000", region: auto, buckets: [encodes/2026/], privateNetwork: true, credentials: { secretName: acme-storage } }
        - https: { hosts: [media.example, "cdn.example:8443"] }
`;

test("entries of auth.tenants have storages", async () => {
  const tenant = (await rendered(STORAGES)).one("SvcTenant", "acme");
  assert.deepEqual(tenant.at("spec", "storages", 2), {
    https: { hosts: ["media.example", "cdn.example:8443"] },
  });
  assert.equal(tenant.at("spec", "storages", 0, "s3", "credentials", "secretName"), "acme-storage");
});

test("controllers may get only the named Secrets, and list none", async () => {
  const secretsIn = async (values: string) => {
    const rules = listOf((await rendered(values)).one("Role", "rel-svc-controller").at("rules"));
    return rules.filter((rule) => listOf(rule.at("resources")).some(({ value }) => value === "secrets"));
  };
  assert.deepEqual(
    (await secretsIn(STORAGES)).map(({ value }) => value),
    [
      {
        apiGroups: [""],
        resources: ["secrets"],
        resourceNames: ["acme-storage", "other-storage"],
        verbs: ["get"],
      },
    ],
  );
  assert.deepEqual(await secretsIn("auth: { tenantsSource: kubernetes }"), []);
});

test("controllers and nodes reach the ports of the storages, or those of the values", async () => {
  const portsOf = async (values: string, component: string) => {
    const policy = (await rendered(values)).one("NetworkPolicy", `rel-svc-${component}`);
    return listOf(policy.at("spec", "egress")).map((rule) =>
      listOf(rule.at("ports"))
        .map((port) => port.at("port"))
        .join(),
    );
  };
  for (const component of ["controller", "node"]) {
    assert.ok((await portsOf(STORAGES, component)).includes("443,8443,9000"), component);
    const given = await portsOf(`${STORAGES}\nnetworkPolicy: { storages: { ports: [8080] } }`, component);
    assert.ok(given.includes("8080") && !given.includes("443,8443,9000"), component);
  }
  assert.deepEqual(await portsOf("", "node"), ["53,53", "9090"]);
});

test("nodes have a volume for their cache", async () => {
  const node = (await renderedGood("required")).one("Deployment", "rel-svc-node-cpu");
  const env = environmentOf(node);
  assert.deepEqual([env["SVC_MEDIA_CACHE"], env["SVC_MEDIA_CACHE_SIZE"]], ["/var/cache/svc/media", "50"]);
  const volumeOf = (pod: typeof node) =>
    listOf(pod.at("spec", "template", "spec", "volumes")).find((one) => one.at("name") === "cache")?.value;
  assert.deepEqual(volumeOf(node), { name: "cache", emptyDir: { sizeLimit: "51Gi" } });
  const own = await rendered(
    "nodes: { pools: { cpu: { mediaCache: { size: 500, volume: { hostPath: { path: /fast } } } } } }",
  );
  const other = own.one("Deployment", "rel-svc-node-cpu");
  assert.deepEqual(volumeOf(other), { name: "cache", hostPath: { path: "/fast" } });
  assert.equal(environmentOf(other)["SVC_MEDIA_CACHE_SIZE"], "500");
});

for (const [storage, message] of [
  ["{}", /at '\/auth\/tenants\/0\/storages\/0': 'oneOf' failed/],
  ["{ s3: { buckets: [a-b] } }", /storages\/0\/s3': missing property 'region'/],
  ["{ s3: { region: a, buckets: [Films] } }", /storages\/0\/s3\/buckets\/0'/],
  ["{ s3: { region: a, buckets: [a-b], uploads: s3://a-b } }", /storages\/0\/s3\/uploads'/],
  ["{ s3: { region: a, buckets: [a-b], credentials: { accessKeyId: a } } }", /'accessKeyId' not allowed/],
  ["{ https: { hosts: ['https://a.example'] } }", /storages\/0\/https\/hosts\/0'/],
] as const)
  test(`refuses the storage ${storage}`, async () => {
    const values = `auth: { tenants: [{ tenantId: a, storages: [${storage}] }] }`;
    assert.match((await templateOf(values)).stderr, message);
  });

test("controllers have the Secret of the results storage", async () => {
  const values = "controller: { resultsStorage: { existingSecret: kept, credentialsKey: keys } }";
  const controller = (await rendered(values)).one("Deployment", "rel-svc-controller");
  assert.equal(environmentOf(controller)["SVC_RESULTS_STORAGE"], "/etc/svc/results/results.yaml");
  const volumes = listOf(controller.at("spec", "template", "spec", "volumes"));
  assert.deepEqual(volumes.find((one) => one.at("name") === "results")?.at("secret"), {
    secretName: "kept",
    items: [
      { key: "keys", path: "credentials" },
      { key: "results.yaml", path: "results.yaml" },
    ],
  });
  const without = (await renderedGood("required")).one("Deployment", "rel-svc-controller");
  assert.equal(environmentOf(without)["SVC_RESULTS_STORAGE"], undefined);
});

test("controllers have the limits of uploads, and the buckets of the console", async () => {
  const values = `controller:
  uploads: { tenantFiles: 5, tenantSize: 20, retention: 2 }
  console: { uploadOrigins: ["https://a.example", "https://b.example:9000"] }`;
  const env = environmentOf((await rendered(values)).one("Deployment", "rel-svc-controller"));
  assert.deepEqual(
    ["TENANT_UPLOADS", "TENANT_UPLOAD_SIZE", "UPLOAD_RETENTION", "CONSOLE_UPLOAD_ORIGIN"].map(
      (name) => env[`SVC_${name}`],
    ),
    ["5", "20", "2", "https://a.example,https://b.example:9000"],
  );
  assert.match(
    (await templateOf("controller: { console: { uploadOrigins: ['https://a.example/path'] } }")).stderr,
    /uploadOrigins/,
  );
});
