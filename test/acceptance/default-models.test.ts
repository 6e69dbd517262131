/** `svc up` with default models: every way to submit a job uses them, and the tenant's pages show them. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type Ended, SVC, start } from "../cli/program.ts";
import { type Clips, makeClips } from "../server/clips.ts";
import { ControllerProcess } from "../server/controller-process.ts";

const MODELS = ["vmaf_v0.6.1neg", "vmaf_v0.6.1"];

let clips: Clips;
let up: ControllerProcess;
before(async () => {
  clips = await makeClips();
  // The flag wins over the variable.
  const env = { SVC_DEFAULT_MODEL: "v1:v1-tv" };
  const args = MODELS.flatMap((model) => ["--default-model", model]);
  up = await ControllerProcess.up({ dataDir: clips.directory.file("data"), args, env });
});
after(async () => {
  await up[Symbol.asyncDispose]();
  await clips[Symbol.asyncDispose]();
});

async function svc(...args: readonly string[]): Promise<Ended> {
  await using running = start(SVC, args, { env: { SVC_SERVER: up.grpc } });
  running.child.stdin?.end();
  return await running.ended();
}

test("POST /v1/score scores with the default models", async () => {
  const answer = await fetch(`${up.rest}/v1/score`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(clips.pair),
  });
  const { models } = (await answer.json()) as { readonly models: readonly { readonly model: string }[] };
  assert.deepEqual([answer.status, models.map(({ model }) => model)], [200, MODELS]);
});

test("svc jobs submit names no model, and its gates know the default models", async () => {
  const { reference, distorted } = clips.pair;
  const gates = ["--fail-under", "vmaf_v0.6.1neg.mean=0", "--fail-under", "vmaf_v0.6.1.mean=99.999"];
  const { code, stdout, stderr } = await svc("jobs", "submit", reference, distorted, "--wait", ...gates);
  assert.equal(code, 1, stderr);
  assert.match(stdout, /pass {2}vmaf\.mean/);
  assert.match(stdout, /FAIL {2}vmaf_v0\.6\.1\.mean/);
  const unknown = await svc("jobs", "submit", reference, distorted, "--wait", "--fail-under", "v1.mean=1");
  assert.equal(unknown.code, 2);
  assert.match(unknown.stderr.replace(/\s+/g, " "), /Known metrics: vmaf, vmaf_v0\.6\.1\./);
});

test("svc tenants show and GET /v1/tenant show them", async () => {
  const { stdout } = await svc("tenants", "show");
  assert.match(stdout, /^default models +vmaf_v0\.6\.1neg, vmaf_v0\.6\.1$/m);
  const tenant = (await (await fetch(`${up.rest}/v1/tenant`)).json()) as { readonly defaultModels: unknown };
  assert.deepEqual(tenant.defaultModels, MODELS);
});

test("does not start with a list of models that is invalid for a job", async () => {
  for (const models of [["v1", "v1"], ["../v1"], Array.from({ length: 9 }, (_, n) => `m${n}`)]) {
    const flags = models.flatMap((model) => ["--default-model", model]);
    const { code, stderr } = await svc("up", ...flags);
    assert.equal(code, 2, stderr);
    assert.match(
      stderr.replace(/\s+/g, " "),
      /--default-model: \[.*\] is not a list of 1 to 8 distinct model names/,
    );
  }
});
