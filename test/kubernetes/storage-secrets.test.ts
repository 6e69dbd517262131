/** Credentials in Secrets: only of the tenant that the Secret names, always the current ones, and clear faults. */
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, afterEach, before, test } from "node:test";
import type { Tenant } from "../../src/auth/tenants/realm.ts";
import type { CredentialsSecret } from "../../src/jobs/media/storages.ts";
import { ApiClient } from "../../src/kubernetes/api-client.ts";
import { StorageSecrets } from "../../src/kubernetes/storage-secrets.ts";
import { Failure } from "../../src/platform/failure.ts";
import { ApiServer, NAMESPACE } from "./api-server.ts";

const KEYS = { AWS_ACCESS_KEY_ID: "KEYID", AWS_SECRET_ACCESS_KEY: "se+cret/key=" };
const STORAGE = {
  kind: "s3",
  endpoint: undefined,
  region: "eu-west-1",
  buckets: [],
  privateNetwork: false,
} as const;
const OWN = { secretName: "acme-storage", tenant: "acme" };

let directory: string;
let server: ApiServer;
let client: ApiClient;
let secrets: StorageSecrets;

before(async () => {
  directory = await mkdtemp(join(tmpdir(), "svc-secrets-"));
  server = await ApiServer.start(directory);
  const ca = await server.ca();
  client = new ApiClient({ server: server.url, namespace: undefined, identity: async () => ({ ca }) });
  secrets = new StorageSecrets(client, NAMESPACE);
});
afterEach(() => server.secrets.clear());
after(async () => {
  secrets.stop();
  client.close();
  await server[Symbol.asyncDispose]();
  await rm(directory, { recursive: true });
});

function tenantWith(id: string, ...secrets: CredentialsSecret[]): Tenant {
  const none = {
    defaultRole: undefined,
    allowedRoles: undefined,
    defaultModels: undefined,
    findings: undefined,
  };
  const storages = secrets.map((credentials) => ({ ...STORAGE, credentials }));
  return { id, enabled: true, limits: {}, uploadLimits: {}, ...none, storages };
}

async function refusal(secret = OWN): Promise<string> {
  const failure = await secrets.read(secret).then(
    () => assert.fail("it was read"),
    (thrown: unknown) => thrown,
  );
  assert.ok(failure instanceof Failure && failure.code === "STORAGE_UNAVAILABLE", String(failure));
  assert.doesNotMatch(failure.message, /hush|KEYID/);
  const fault = await secrets.check(secret);
  assert.ok(failure.message.includes(fault?.message ?? "none"), failure.message);
  return fault?.reason ?? "";
}

test("returns the current credentials of a Secret that names the tenant", async () => {
  server.putSecret("acme-storage", "acme", KEYS);
  assert.deepEqual(await secrets.read(OWN), { accessKeyId: "KEYID", secretAccessKey: "se+cret/key=" });
  assert.equal(await secrets.check(OWN), undefined);
  server.putSecret("acme-storage", "acme", { ...KEYS, AWS_ACCESS_KEY_ID: "NEW", AWS_SESSION_TOKEN: "token" });
  const { accessKeyId, sessionToken } = await secrets.read(OWN);
  assert.deepEqual([accessKeyId, sessionToken], ["NEW", "token"]);
});

test("refuses a Secret that names another tenant, none, or one that is only similar", async () => {
  for (const tenant of ["globex", "ACME", "acme ", "acme,globex", "", undefined]) {
    server.putSecret("acme-storage", tenant, KEYS);
    assert.equal(await refusal(), "SecretOfOtherTenant", String(tenant));
  }
  server.putSecret("prototype", "acme", KEYS);
  assert.equal(await refusal({ secretName: "prototype", tenant: "constructor" }), "SecretOfOtherTenant");
});

test("says that a Secret is missing, or may not be read", async () => {
  assert.equal(await refusal(), "SecretMissing");
  server.secrets.set("acme-storage", 403);
  assert.equal(await refusal(), "SecretForbidden");
});

for (const [what, data] of [
  ["no keys", {}],
  ["no secret key", { AWS_ACCESS_KEY_ID: "KEYID" }],
  ["an empty key", { ...KEYS, AWS_SECRET_ACCESS_KEY: "" }],
  ["a line break", { ...KEYS, AWS_SECRET_ACCESS_KEY: "hush\n" }],
  ["a header in a key", { ...KEYS, AWS_ACCESS_KEY_ID: "KEYID\r\nx: hush" }],
  ["a long key", { ...KEYS, AWS_SECRET_ACCESS_KEY: "x".repeat(10_000) }],
  ["an empty token", { ...KEYS, AWS_SESSION_TOKEN: "" }],
] as const)
  test(`refuses a Secret with ${what}`, async () => {
    server.putSecret("acme-storage", "acme", data);
    assert.equal(await refusal(), "SecretMalformed");
  });

test("refuses answers that are not Secrets", async () => {
  for (const answer of [[], { metadata: 7 }, { metadata: { annotations: [] } }, { data: null }]) {
    server.secrets.set("acme-storage", answer);
    assert.equal(await refusal(), "SecretOfOtherTenant");
  }
  const metadata = { annotations: { "svc.dev/tenant-id": "acme" } };
  for (const data of [null, [], "x", { AWS_ACCESS_KEY_ID: 7 }]) {
    server.secrets.set("acme-storage", { metadata, data });
    assert.equal(await refusal(), "SecretMalformed");
  }
});

test("forgets the credentials of tenants that no longer use them", async () => {
  server.putSecret("acme-storage", "acme", KEYS);
  const known = await secrets.read(OWN);
  server.secrets.set("acme-storage", 500);
  secrets.keepOnly([tenantWith("acme", OWN), tenantWith("globex")]);
  assert.deepEqual(await secrets.read(OWN), known);
  secrets.keepOnly([tenantWith("acme"), tenantWith("globex", { ...OWN, tenant: "globex" })]);
  assert.equal(await refusal(), "SecretUnknown");
});

test("keeps the credentials while the API server fails, but not once they were withdrawn", async () => {
  server.putSecret("acme-storage", "acme", KEYS);
  const known = await secrets.read(OWN);
  for (const status of [500, 503, 429, 401]) {
    server.secrets.set("acme-storage", status);
    assert.deepEqual(await secrets.read(OWN), known, String(status));
  }
  server.putSecret("acme-storage", "globex", KEYS);
  assert.equal(await refusal(), "SecretOfOtherTenant");
  server.secrets.set("acme-storage", 500);
  assert.equal(await refusal(), "SecretUnknown");
});
