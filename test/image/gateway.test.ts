/**
 * Runs the processes of compose.yaml with deploy/compose/gateway.yaml, with the environment and secrets of both files.
 */
import assert from "node:assert/strict";
import { copyFile, mkdir, writeFile } from "node:fs/promises";
import { basename } from "node:path";
import { after, before, test } from "node:test";
import { AUDIENCE, CLIENT_ID, IssuingProvider } from "../auth/issuing.ts";
import { Authority } from "../server/certificates.ts";
import { type Clips, makeClips } from "../server/clips.ts";
import { ControllerProcess } from "../server/controller-process.ts";
import { SvcProcess, svc } from "../server/svc-process.ts";
import { getSecurely } from "../server/tls-client.ts";
import { environmentOf, gateway, interpolated } from "./stack.ts";

const FLEET = "fleet";

let clips: Clips;
let provider: IssuingProvider;
let authority: Authority;
/** deploy/compose/env.example, filled in. */
let env: Record<string, string>;

before(async () => {
  clips = await makeClips();
  authority = await Authority.open(clips.directory.path, "authority");
  const { cert, key } = await authority.issue("server");
  const claims = { tid: FLEET, svc_roles: ["svc:admin"] };
  provider = await IssuingProvider.open({ secret: "of-the-nodes", lifeSeconds: 300, claims });
  const secret = clips.directory.file("secret");
  await writeFile(secret, "of-the-nodes");
  await mkdir(clips.directory.file(FLEET));
  env = {
    SVC_DB_PASSWORD: "unused",
    SVC_JWKS_ENDPOINT: provider.jwksEndpoint,
    SVC_AUTH_ISSUER: provider.issuer,
    SVC_AUTH_AUDIENCE: AUDIENCE,
    SVC_FLEET_TENANT: FLEET,
    SVC_OIDC_TOKEN_URL: provider.tokenUrl,
    SVC_OIDC_CLIENT_ID: CLIENT_ID,
    SVC_NODE_SECRET_FILE: secret,
    SVC_SERVER_NAME: "localhost",
    SVC_TLS_CERT_FILE: cert,
    SVC_TLS_KEY_FILE: key,
    SVC_TLS_CA_FILE: authority.path,
  };
});
after(async () => {
  await provider[Symbol.asyncDispose]();
  await clips[Symbol.asyncDispose]();
});

/** Returns a service's environment, with the paths of secrets and videos on this machine. */
function given(name: string, values = env): Record<string, string> {
  const mounted = new Map(
    (gateway.services[name]?.secrets ?? []).map((secret) => {
      const file = gateway.secrets?.[secret]?.file ?? assert.fail(`no secret ${secret}`);
      return [`/run/secrets/${secret}`, interpolated(file, values)];
    }),
  );
  const entries = Object.entries(environmentOf(name)).map(([variable, written]) => {
    const value = interpolated(written, values);
    if (value.startsWith("/run/"))
      return [variable, mounted.get(value) ?? assert.fail(`${value} is no secret`)];
    return [variable, value.replace(/^\/media\b/, clips.directory.path)];
  });
  return Object.fromEntries(entries);
}

test("accepts tokens over TLS only, and its nodes score for a tenant", async () => {
  const { SVC_DATABASE_URL, ...settings } = given("controller");
  assert.match(SVC_DATABASE_URL ?? "", /^postgres:\/\/svc:unused@postgres:5432\/svc$/);
  await using controller = await ControllerProcess.start({
    dataDir: clips.directory.file("data"),
    auth: [],
    env: settings,
  });
  assert.match(controller.rest, /^https:/);
  const { status } = await getSecurely(`${controller.rest}/v1/jobs`, { ca: await authority.pem() });
  assert.equal(status, 401);

  const { SVC_CONTROLLER, ...rest } = given("node");
  assert.equal(SVC_CONTROLLER, "localhost:9090");
  const address = controller.grpc.replace("127.0.0.1", "localhost");
  const called = { ...rest, SVC_CONTROLLER: address };
  await using node = new SvcProcess("node", { args: ["--metrics-port", "0"], env: called });
  await node.logged("registered");

  const pair = [clips.pair.reference, clips.pair.distorted].map((path) => ({
    path,
    own: clips.directory.file(`${FLEET}/${basename(path)}`),
  }));
  for (const { path, own } of pair) await copyFile(path, own);
  const submit = ["jobs", "submit", ...pair.map(({ own }) => own), "--wait", "--quiet", "--server", address];
  const { SVC_TLS_CA = "", SVC_OIDC_CLIENT_SECRET_FILE = "", SVC_OIDC_TOKEN_URL = "" } = rest;
  const token = {
    SVC_TLS_CA,
    SVC_OIDC_CLIENT_SECRET_FILE,
    SVC_OIDC_TOKEN_URL,
    SVC_OIDC_CLIENT_ID: CLIENT_ID,
  };
  const { code, stderr } = await svc(submit, token);
  assert.equal(code, 0, stderr);
  assert.equal(await node.stop(), 0);
  assert.equal(await controller.stop(), 0);
});

test("names a variable that .env leaves empty", () => {
  const less = { ...env, SVC_SERVER_NAME: "" };
  assert.throws(
    () => given("node", less),
    /SVC_SERVER_NAME is missing: a host name that the certificate is for/,
  );
});
