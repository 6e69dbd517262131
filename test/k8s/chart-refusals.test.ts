/** Wrong values are refused before anything is installed, with their path and what to do. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { good, templateOf } from "./chart/helm.ts";

/** Wrong values and helm's message: the path for errors of the schema, the whole sentence for errors of the chart. */
const BAD: readonly (readonly [values: string, message: RegExp])[] = [
  ["contoller: {}", /additional properties 'contoller' not allowed/],
  ["auth: { jwksEndpont: x }", /at '\/auth': additional properties 'jwksEndpont' not allowed/],
  ["auth: { enabled: 'yes' }", /at '\/auth\/enabled': got string, want boolean/],
  ["auth: { issuer: id.example }", /at '\/auth\/issuer':/],
  ["auth: { tenants: [{ name: a }] }", /at '\/auth\/tenants\/0': missing property 'tenantId'/],
  ["auth: { tenants: [{ tenantId: 7 }] }", /at '\/auth\/tenants\/0\/tenantId': got number, want string/],
  [
    "auth: { tenants: [{ tenantId: a, rbac: { defaultRole: admin } }] }",
    /at '\/auth\/tenants\/0\/rbac\/defaultRole'/,
  ],
  [
    "auth: { tenants: [{ tenantId: a, oidc: { jwksEndpoint: 'http://id.example/keys' } }] }",
    /at '\/auth\/tenants\/0\/oidc\/jwksEndpoint'/,
  ],
  [`auth: { audience: ${"x".repeat(257)} }`, /at '\/auth\/audience': maxLength: got 257, want 256/],
  [
    `auth: { tenants: [{ tenantId: a, oidc: { audience: ${"x".repeat(257)} } }] }`,
    /at '\/auth\/tenants\/0\/oidc\/audience': maxLength/,
  ],
  ['auth: { tenants: [{ tenantId: "a\\nb" }] }', /at '\/auth\/tenants\/0\/tenantId'/],
  [
    "auth: { tenants: [{ tenantId: a, limits: { segmentsRunning: 1000001 } }] }",
    /at '\/auth\/tenants\/0\/limits\/segmentsRunning'/,
  ],
  ["controller: { replicas: 1.5 }", /at '\/controller\/replicas'/],
  ["controller: { lease: 0 }", /at '\/controller\/lease'/],
  ["controller: { allowedHosts: ['svc.example:8080'] }", /at '\/controller\/allowedHosts\/0'/],
  ["server: { allowedHosts: ['$(HOST)'] }", /at '\/server\/allowedHosts\/0'/],
  ["controller: { limits: { jobsQueued: many } }", /at '\/controller\/limits\/jobsQueued'/],
  [
    "controller: { resources: { limit: {} } }",
    /at '\/controller\/resources': additional properties 'limit' not allowed/,
  ],
  [
    "database: { url: 'postgres://svc:secret@db/svc' }",
    /at '\/database': additional properties 'url' not allowed/,
  ],
  ["image: { repository: 'registry.example/svc:1' }", /at '\/image\/repository'/],
  ["image: { digest: 'sha256:1' }", /at '\/image\/digest'/],
  ["media: { roots: [media] }", /at '\/media\/roots\/0'/],
  ["media: { volumes: [{ name: a, mountPath: /a }] }", /at '\/media\/volumes\/0': 'oneOf' failed/],
  ["nodes: { controller: 'https://svc.example' }", /at '\/nodes\/controller'/],
  [
    "nodes: { pools: { cpu: { slot: 2 } } }",
    /at '\/nodes\/pools\/cpu': additional properties 'slot' not allowed/,
  ],
  ["nodes: { pools: { GPU: {} } }", /at '\/nodes\/pools'/],
  ["autoscaling: { kind: cron }", /at '\/autoscaling\/kind'/],
  ["server: { enabled: true, mediaRoots: ['/media/{tenant}'] }", /at '\/server\/mediaRoots\/0'/],
  ["networkPolicy: { dns: { ports: [dns] } }", /at '\/networkPolicy\/dns\/ports\/0'/],
  // What only shows when values are seen together.
  ["image: { repository: '' }", /image\.repository is empty\. Give the image/],
  [
    "database: { existingSecret: '' }",
    /database\.existingSecret is empty\. Give a Secret .* "url" holds the URL/,
  ],
  ["auth: { jwksEndpoint: '' }", /auth\.jwksEndpoint is empty\. Give the URL/],
  ["auth: { jwksEndpoint: 'http://id.example/keys' }", /auth\.jwksEndpoint is plain http/],
  ["auth: { issuer: '' }", /auth\.issuer is empty\./],
  ["auth: { tenantsSource: file }", /Set one of auth\.tenantsFile\.existingSecret and/],
  [
    "auth: { tenantsSource: provider, tenants: [{ tenantId: a }] }",
    /auth\.tenantsSource is provider, and auth\.tenants/,
  ],
  [
    "auth: { tenants: [{ tenantId: a }, { tenantId: b }, { tenantId: a }] }",
    /auth\.tenants\[2\]\.tenantId "a" is already used by auth\.tenants\[0\]/,
  ],
  [
    "auth: { tenants: [{ tenantId: a }, { tenantId: B, name: a }] }",
    /auth\.tenants\[1\] and auth\.tenants\[0\] would both create the SvcTenant "a"/,
  ],
  [
    "auth: { issuer: '', tenants: [{ tenantId: a }] }",
    /auth\.tenants\[0\]\.oidc\.issuer is empty, and so is auth\.issuer/,
  ],
  [
    "auth: { jwksEndpoint: '', tenants: [{ tenantId: a }] }",
    /auth\.tenants\[0\]\.oidc\.jwksEndpoint is empty, and so is auth\.jwksEndpoint/,
  ],
  [
    "auth: { tenants: [{ tenantId: a, oidc: { issuer: 'https://id.example/a' } }] }",
    /auth\.tenants\[0\]\.oidc\.issuer is set without its jwksEndpoint, .* Give both of tenant "a"/,
  ],
  [
    "auth: { tenants: [{ tenantId: a, oidc: { jwksEndpoint: 'https://id.example/a' } }] }",
    /auth\.tenants\[0\]\.oidc\.jwksEndpoint is set without its issuer, .* Give both of tenant "a"/,
  ],
  [
    "auth: { allowHttp: true, jwksEndpoint: 'http://id.example/keys', tenants: [{ tenantId: a }] }",
    /auth\.jwksEndpoint is plain http, and auth\.tenants\[0\] "a" uses it as its key set/,
  ],
  [
    "auth: { rolesClaim: tid, tenants: [{ tenantId: a }] }",
    /auth\.tenants\[0\] "a" has "tid" as tenantClaim and as rolesClaim/,
  ],
  [
    "auth: { tenants: [{ tenantId: a, oidc: { tenantClaim: svc_roles } }] }",
    /auth\.tenants\[0\] "a" has "svc_roles" as tenantClaim and as rolesClaim/,
  ],
  [
    "auth: { tenants: [{ tenantId: a, rbac: { defaultRole: 'svc:admin', allowedRoles: ['svc:reader'] } }] }",
    /auth\.tenants\[0\]\.rbac\.defaultRole svc:admin is not among/,
  ],
  [
    "auth: { fleetTenant: fleet, tenants: [{ tenantId: a }, { tenantId: b }] }",
    /auth\.fleetTenant "fleet" is not among auth\.tenants \(a, b\), so every node/,
  ],
  [
    "auth: { fleetTenant: a, tenants: [{ tenantId: a, enabled: false }] }",
    /auth\.tenants\[0\] is auth\.fleetTenant "a" and has enabled: false/,
  ],
  [
    "auth: { fleetTenant: a, tenants: [{ tenantId: a, rbac: { allowedRoles: ['svc:writer'] } }] }",
    /auth\.tenants\[0\]\.rbac\.allowedRoles lacks svc:admin/,
  ],
  [
    "autoscaling: { kind: hpa }\nnodes: { pools: { cpu: { autoscaling: { enabled: true, scorer: vmaf 3.0.0 } } } }",
    /nodes\.pools\.cpu\.autoscaling\.scorer is "vmaf 3\.0\.0", which a HorizontalPodAutoscaler cannot/,
  ],
  [
    "controller: { extraEnv: [{ name: SVC_PORT, value: '1' }] }",
    /controller\.extraEnv\[0\] is SVC_PORT, which is set by the chart, to 8080/,
  ],
  [
    "nodes: { pools: { cpu: { extraEnv: [{ name: A }, { name: SVC_SLOTS, value: '1' }] } } }",
    /nodes\.pools\.cpu\.extraEnv\[1\] is SVC_SLOTS, which is set by nodes\.pools\.cpu\.slots\./,
  ],
  [
    "migration: { extraEnv: [{ name: SVC_DATABASE_URL, value: a }] }",
    /migration\.extraEnv\[0\] is SVC_DATABASE_URL, which is set by database\.existingSecret/,
  ],
  [
    "commonLabels: { app.kubernetes.io/name: other }",
    /commonLabels has "app\.kubernetes\.io\/name", which the chart sets itself/,
  ],
  [
    "nodes: { pools: { cpu: { podLabels: { svc.dev/pool: b } } } }",
    /nodes\.pools\.cpu\.podLabels has "svc\.dev\/pool"/,
  ],
  [
    "nodes: { credentials: { oidc: { tokenUrl: 'http://id.example/token' } } }",
    /at '\/nodes\/credentials\/oidc\/tokenUrl'/,
  ],
  ["controller: { tls: { clientCa: { existingSecret: a } } }", /without controller\.tls\.existingSecret/],
  ["controller: { console: { oidc: { clientId: a } } }", /console\.oidc\.issuer and .* need each other/],
  ["controller: { enabled: false }", /nodes\.controller is empty, and controller\.enabled is false/],
  ["controller: { enabled: false }\nnodes: { pools: { cpu: null } }", /nothing would run/],
  ["nodes: { credentials: { token: { existingSecret: '' } } }", /of the nodes of the pool cpu/],
  ["nodes: { credentials: { oidc: { clientId: a } } }", /of the pool cpu has a token and oidc/],
  [
    "nodes: { pools: { cpu: { autoscaling: { enabled: true } } } }",
    /autoscaling\.keda\.prometheusAddress is empty/,
  ],
  [
    "autoscaling: { kind: hpa }\nnodes: { pools: { cpu: { autoscaling: { enabled: true, minReplicas: 0 } } } }",
    /autoscaling\.minReplicas is 0, which a HorizontalPodAutoscaler does not support/,
  ],
  ["media: { roots: [/media] }", /media\.roots\[0\] "\/media" is in no volume of media\.volumes/],
  ["server: { enabled: true }", /server\.mediaRoots is empty\./],
  ["ingress: { rest: { enabled: true } }", /ingress\.rest\.hosts is empty/],
  [
    "gateway: { enabled: true, parentRefs: [{ name: a }], rest: { hostnames: [a.example] }, grpc: { hostnames: [a.example] } }",
    /A listener accepts one kind of route per name/,
  ],
];

for (const [values, message] of BAD) {
  test(`refuses ${values.replaceAll("\n", "; ")}`, async () => {
    const { code, stdout, stderr } = await templateOf(values);
    assert.notEqual(code, 0);
    assert.equal(stdout, "");
    assert.match(stderr, message);
  });
}

test("refuses a provider, or a part of one, beside a tenants file, because it would be ignored", async () => {
  const provider = {
    jwksEndpoint: "https://id.example/keys",
    issuer: "https://id.example",
    audience: "svc",
    tenantClaim: "org_id",
    rolesClaim: "permissions",
  };
  const refused = async (auth: object) =>
    (await templateOf(JSON.stringify({ auth }), good("tenants-file"))).stderr;
  const message = await refused(provider);
  for (const name of Object.keys(provider))
    assert.match(message, new RegExp(`^auth\\.${name} is set, and auth\\.tenantsSource is file`, "m"));
  assert.match(await refused({ audience: "svc" }), /^auth\.audience is set/m);
  assert.equal(await refused({ tenantClaim: "tid", rolesClaim: "svc_roles", audience: "" }), "");
});

test("reports everything that is missing at once", async () => {
  const { stderr } = await templateOf("", "/dev/null");
  for (const name of [
    "image.repository",
    "database.existingSecret",
    "auth.jwksEndpoint",
    "auth.issuer",
    "nodes.credentials",
  ])
    assert.match(stderr, new RegExp(`^${name.replaceAll(".", "\\.")}.* is empty`, "m"));
});
