/** A controller, a node and the command line with tokens from a real identity provider that expire within seconds. */
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import { AUDIENCE, CLIENT_ID, IssuingProvider } from "../auth/issuing.ts";
import { start } from "../cli/program.ts";
import { type Clips, makeClips } from "../server/clips.ts";
import { ControllerProcess } from "../server/controller-process.ts";
import { SVC, SvcProcess, svc } from "../server/svc-process.ts";
import { until } from "../waiting.ts";

const SECRET = "the-client-secret";
const LIFE_SECONDS = 15;

let clips: Clips;
let provider: IssuingProvider;
let controller: ControllerProcess;
let tokens: readonly string[];

before(async () => {
  clips = await makeClips();
  const claims = { tid: "acme", svc_roles: ["svc:admin"] };
  provider = await IssuingProvider.open({ secret: SECRET, lifeSeconds: LIFE_SECONDS, claims });
  const secretFile = clips.directory.file("secret");
  await writeFile(secretFile, SECRET);
  tokens = [
    ...["--oidc-token-url", provider.tokenUrl, "--oidc-client-id", CLIENT_ID],
    ...["--oidc-client-secret-file", secretFile],
  ];
  controller = await ControllerProcess.start({
    dataDir: clips.directory.file("data"),
    auth: [
      ...["--jwks-endpoint", provider.jwksEndpoint, "--auth-issuer", provider.issuer],
      ...["--auth-audience", AUDIENCE, "--media-root", clips.directory.path],
    ],
  });
  // The controller has the key set from then on.
  const listed = () => svc(["jobs", "list", "--server", controller.grpc, ...tokens]);
  await until(async () => (await listed()).code === 0, "the keys");
});
after(async () => {
  await controller[Symbol.asyncDispose]();
  await provider[Symbol.asyncDispose]();
  await clips[Symbol.asyncDispose]();
});

function nodeOf(...more: readonly string[]): SvcProcess {
  const args = ["--controller", controller.grpc, "--metrics-port", "0", ...tokens, ...more];
  return new SvcProcess("node", { args });
}

/** Waits until a token issued now has expired. */
async function expired(): Promise<void> {
  const over = Date.now() + (LIFE_SECONDS + 1) * 1000;
  await until(async () => Date.now() > over, "tokens to expire");
}

test("scores and reports a job while client and node use several tokens", async () => {
  const { reference, distorted } = clips.pair;
  const flags = ["--server", controller.grpc, ...tokens];
  await using waiting = start(SVC, ["jobs", "submit", reference, distorted, "--wait", "--json", ...flags]);
  await until(async () => {
    const { stdout } = await svc(["jobs", "list", "--json", ...flags]);
    return stdout.includes('"tenantId":"acme"');
  }, "the job");
  await expired();
  await using node = nodeOf("--media-root", clips.directory.path);
  await node.logged("registered");
  const { code, stdout, stderr } = await waiting.ended();
  assert.equal(code, 0, stderr);
  assert.match(stdout, /"state": ?"SUCCEEDED"/);
  await expired();
  const again = await svc(["jobs", "submit", reference, distorted, "--wait", "--quiet", ...flags]);
  assert.equal(again.code, 0, again.stderr);
  assert.equal(node.log.filter(({ msg }) => msg === "registered").length, 1, "its session is the same");
  assert.equal(await node.stop(), 0);
  assert.doesNotMatch(JSON.stringify([controller.log, node.log]) + stderr, /eyJ|the-client-secret/);
});
