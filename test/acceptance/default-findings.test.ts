/** `svc up` with a default policy on findings: jobs follow it unless they name one, and the tenant's pages show it. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { SVC, start } from "../cli/program.ts";
import { encode, LOSSY, pristine, SCENE } from "../media/clips.ts";
import { type Clips, makeClips } from "../server/clips.ts";
import { ControllerProcess } from "../server/controller-process.ts";
import { score } from "../server/rest-client.ts";

const FILM = { ...SCENE, width: 160, height: 90 };
const POLICY = { action: "WARN", codes: { BLACK: "IGNORE", MIRRORED: "WARN" } };

let clips: Clips;
let up: ControllerProcess;
let mirrored: { readonly reference: string; readonly distorted: string };
before(async () => {
  clips = await makeClips();
  const { directory } = clips;
  mirrored = {
    reference: await pristine(directory, "film.y4m", FILM),
    distorted: await encode(directory, "mirrored.mp4", { ...FILM, filters: "hflip" }, LOSSY.h264),
  };
  const env = { SVC_FINDINGS: "warn:ignore:BLACK:warn:MIRRORED" };
  up = await ControllerProcess.up({ dataDir: directory.file("data"), env });
});
after(async () => {
  await up[Symbol.asyncDispose]();
  await clips[Symbol.asyncDispose]();
});

async function svc(...args: readonly string[]) {
  await using running = start(SVC, args, { env: { SVC_SERVER: up.grpc } });
  running.child.stdin?.end();
  return await running.ended();
}

test("a pair is scored as the default says, or as its request says", async () => {
  const { status, body } = await score(up, mirrored);
  assert.deepEqual(
    [status, body.warnings.map((warning) => (warning as { code: string }).code)],
    [200, ["MIRRORED"]],
  );
  const refused = await score(up, { ...mirrored, findings: { action: "REFUSE" } });
  assert.deepEqual([refused.status, refused.body.code], [422, "PAIR_MISMATCH"]);
});

test("svc tenants show and GET /v1/tenant show it", async () => {
  const { stdout } = await svc("tenants", "show");
  assert.match(stdout, /^findings +warn, BLACK: ignore, MIRRORED: warn$/m);
  const tenant = (await (await fetch(`${up.rest}/v1/tenant`)).json()) as { readonly findings: unknown };
  assert.deepEqual(tenant.findings, POLICY);
});

test("does not start with an invalid policy", async () => {
  for (const policy of ["off", "warn:LATE", "warn:"]) {
    const { code, stderr } = await svc("up", "--findings", policy);
    assert.equal(code, 2, stderr);
    const words = stderr.replace(/\s+/g, " ");
    assert.match(words, /--findings: .* is not refuse, warn or ignore, alone or with codes of findings/);
  }
});
