/** Storages of SvcTenants whose credentials are in Secrets: used by their own tenant only, and faults refuse only jobs. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { KeyServer, keys } from "../auth/key-server.ts";
import { newSigner, type Signer, signToken } from "../auth/tokens.ts";
import { ApiServer } from "../kubernetes/api-server.ts";
import { MediaDirectory } from "../media/directory.ts";
import { Authority } from "../server/certificates.ts";
import { ControllerProcess } from "../server/controller-process.ts";
import { JobsClient } from "../server/jobs-client.ts";
import { MediaServer } from "../storages/media-server.ts";
import { until } from "../waiting.ts";

const PAIR = { reference: "s3://videos/reference.mov", distorted: "s3://videos/distorted.mp4" };
const SECRETS = { acme: "acme-storage", globex: "acme-storage", initech: "nowhere" } as const;

let directory: MediaDirectory;
let storage: MediaServer;
let cluster: ApiServer;
let keyServer: KeyServer;
let signer: Signer;
let controller: ControllerProcess;

before(async () => {
  directory = await MediaDirectory.open();
  const authority = await Authority.open(directory.path, "authority");
  storage = await MediaServer.start(authority);
  for (const name of ["reference.mov", "distorted.mp4"])
    storage.put(`/videos/${name}`, Buffer.from("some bytes"));
  cluster = await ApiServer.start(directory.path);
  signer = newSigner("one");
  keyServer = await KeyServer.open(keys(signer));
  for (const [tenantId, secretName] of Object.entries(SECRETS)) {
    const oidc = { issuer: "https://id.example", jwksEndpoint: keyServer.url };
    const s3 = {
      endpoint: storage.url(""),
      region: "eu-central-1",
      buckets: ["videos"],
      privateNetwork: true,
    };
    cluster.tenants.set(tenantId, {
      ...{ tenantId, oidc },
      storages: [{ s3: { ...s3, credentials: { secretName } } }],
    });
  }
  cluster.putSecret("acme-storage", "acme", { AWS_ACCESS_KEY_ID: "KEYID", AWS_SECRET_ACCESS_KEY: "hush" });
  controller = await ControllerProcess.start({
    dataDir: directory.file("data"),
    auth: ["--tenants-source", "kubernetes", "--kubeconfig", await cluster.kubeconfig()],
    env: { NODE_EXTRA_CA_CERTS: authority.path },
  });
  await controller.logged("SvcTenants loaded");
});
after(async () => {
  await controller[Symbol.asyncDispose]();
  await cluster[Symbol.asyncDispose]();
  await keyServer.close();
  await storage.close();
  await directory.remove();
});

function jobsOf(tid: string): Promise<JobsClient> {
  const exp = Math.floor(Date.now() / 1000) + 3600;
  const claims = { iss: "https://id.example", aud: undefined, exp, tid, svc_roles: ["svc:writer"] };
  return JobsClient.of(controller, signToken(signer, claims));
}

async function conditionOf(tenant: string, type: string): Promise<readonly string[]> {
  const found = () => cluster.conditions.get(tenant)?.find((one) => one.type === type);
  await until(() => found() !== undefined && found()?.status !== "Unknown", `${type} of ${tenant}`);
  return [found()?.status ?? "", found()?.reason ?? ""];
}

test("a tenant's objects are read with the credentials in its Secret", async () => {
  const signed: string[] = [];
  storage.fault = ({ request: { url = "" } }) => {
    signed.push(new URL(url, "https://storage").searchParams.get("X-Amz-Credential") ?? "");
    return false;
  };
  const { status, body } = await (await jobsOf("acme")).submit(PAIR);
  assert.equal(status, 201, JSON.stringify(body));
  assert.equal(signed.length, 2);
  for (const credential of signed) assert.match(credential, /^KEYID\//);
  assert.deepEqual(await conditionOf("acme", "StoragesReady"), ["True", "SecretsRead"]);
});

test("a tenant that names another one's Secret is admitted, and its jobs over the storage are refused", async () => {
  const jobs = await jobsOf("globex");
  const { status, body } = await jobs.submit(PAIR);
  assert.equal(status, 503, JSON.stringify(body));
  assert.equal(body.code, "STORAGE_UNAVAILABLE");
  assert.match(body.detail, /The Secret "acme-storage" does not name this tenant\./);
  assert.doesNotMatch(body.detail, /hush|KEYID|acme[^-]/);
  assert.deepEqual(await conditionOf("globex", "StoragesReady"), ["False", "SecretOfOtherTenant"]);
  assert.deepEqual(await conditionOf("globex", "Ready"), ["True", "Accepted"]);
});

test("a missing Secret refuses jobs until it is there", async () => {
  const jobs = await jobsOf("initech");
  const { body } = await jobs.submit(PAIR);
  assert.match(body.detail, /The Secret "nowhere" does not exist\./);
  assert.deepEqual(await conditionOf("initech", "StoragesReady"), ["False", "SecretMissing"]);
  cluster.putSecret("nowhere", "initech", { AWS_ACCESS_KEY_ID: "OTHER", AWS_SECRET_ACCESS_KEY: "hush" });
  assert.equal((await jobs.submit(PAIR)).status, 201);
});

test("neither the log nor the status has a secret", () => {
  assert.doesNotMatch(JSON.stringify([controller.log, [...cluster.conditions.values()]]), /hush/);
});
