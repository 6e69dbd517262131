/** POST /v1/score: results, refusals, limits, and what happens while a score runs. */
import assert from "node:assert/strict";
import { copyFile, mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { type Clips, FRAMES, makeClips } from "../server/clips.ts";
import { Contract, type Definition } from "../server/contract.ts";
import { ask, dial, rawPost, score } from "../server/rest-client.ts";
import { ServerProcess } from "../server/server-process.ts";

let clips: Clips;
let server: ServerProcess;
before(async () => {
  clips = await makeClips();
  server = await ServerProcess.start({ args: ["--concurrency", "2", "--threads", "2"] });
});
after(async () => {
  await server[Symbol.asyncDispose]();
  await clips[Symbol.asyncDispose]();
});

/** Starts a score that would take minutes; it ends when `stop` is aborted. */
async function startLong(on: ServerProcess, requestId: string) {
  const stop = new AbortController();
  const answer = score(on, clips.longPair, {
    headers: { "content-type": "application/json", "x-request-id": requestId },
    signal: stop.signal,
  }).catch((error: unknown) => error);
  await on.logged("score started", { requestId });
  await on.scorerRuns();
  return { stop, answer };
}

describe("a result", () => {
  test("has the described form, with the score at the top", async () => {
    const contract = new Contract((await ask<Definition>(server, "/ui/spec.json")).body);
    for (const request of [clips.pair, { ...clips.pair, frames: true, features: ["psnr"] }]) {
      const { status, body } = await score(server, request);
      assert.equal(status, 200, JSON.stringify(body));
      contract.check("score", 200, body);
      assert.equal(body.score, body.pooled["vmaf"]?.mean);
      assert.equal(body.model, "vmaf_v0.6.1");
      assert.equal(body.frameCount, FRAMES);
      assert.ok(body.score > 0 && body.score < 100);
      assert.deepEqual(body.warnings, []);
    }
  });

  test("of named frames, areas and colours says what was compared", async () => {
    const contract = new Contract((await ask<Definition>(server, "/ui/spec.json")).body);
    const area = { x: 8, y: 4, width: 120, height: 80 };
    const { status, body } = await score(server, {
      ...clips.pair,
      offset: -2,
      duration: 9,
      crop: { reference: area, distorted: area },
      mirror: { distorted: "VERTICAL" },
      rangeOf: { distorted: "FULL" },
      findings: { action: "IGNORE" },
    });
    assert.equal(status, 200, JSON.stringify(body));
    contract.check("score", 200, body);
    const warnings = body.warnings as readonly { readonly code: string }[];
    assert.deepEqual(
      warnings.map(({ code }) => code),
      ["CROPPED", "CROPPED", "MIRRORED", "COLOURS_CONVERTED", "ALIGNED"],
    );
    assert.equal(body.frameCount, 7);
    for (const [request, detail] of [
      [{ runs: [{ count: 5 }, { reference: 4, distorted: 5, count: 1 }] }, /^runs\[1\] begins at frame 4/],
      [{ offset: 12 }, /no frame that the request asks for has a partner/],
      [{ crop: { distorted: { ...area, x: 41 } } }, /^crop\.distorted is 120x80\+41\+4/],
    ] as const) {
      const refused = await score(server, { ...clips.pair, ...request });
      assert.equal(refused.status, 400);
      assert.match((refused.body as unknown as { readonly detail: string }).detail, detail);
    }
  });

  test("has the frames only on request", async () => {
    const without = await score(server, clips.pair);
    assert.ok(!Object.hasOwn(without.body, "frames"));
    const { body } = await score(server, { ...clips.pair, frames: true });
    assert.equal(body.frames.length, FRAMES);
    assert.deepEqual(
      body.frames.map(({ frame }) => frame),
      Array.from({ length: FRAMES }, (_, index) => index),
    );
    const sum = body.frames.reduce((total, { metrics }) => total + (metrics["vmaf"] ?? Number.NaN), 0);
    assert.ok(Math.abs(sum / FRAMES - body.score) < 1e-6);
    const { frames: _, ...rest } = body;
    assert.deepEqual({ ...without.body, durationMs: 0 }, { ...rest, durationMs: 0 });
  });

  test("includes zero values", async () => {
    const { body } = await score(server, clips.pair);
    assert.equal(body.reference.rotation, 0);
    assert.equal(body.pooled["integer_motion2"]?.min, 0);
  });

  test("with several models in one pass, the first gives the score", async () => {
    const { status, body } = await score(server, {
      ...clips.pair,
      models: ["vmaf_v0.6.1neg", "vmaf_v0.6.1"],
    });
    assert.equal(status, 200, JSON.stringify(body));
    assert.deepEqual(
      body.models.map(({ model, metric }) => [model, metric]),
      [
        ["vmaf_v0.6.1neg", "vmaf"],
        ["vmaf_v0.6.1", "vmaf_v0.6.1"],
      ],
    );
    assert.equal(body.pooled["vmaf_v0.6.1"]?.mean, (await score(server, clips.pair)).body.score);
  });

  test("accepts features in any spelling", async () => {
    const { status, body } = await score(server, {
      ...clips.pair,
      features: ["psnr-hvs", "PSNR", "float_ssim"],
    });
    assert.equal(status, 200, JSON.stringify(body));
    for (const feature of ["psnr_hvs", "float_ssim", "psnr_y"]) assert.ok(feature in body.features, feature);
  });

  test("treats null as absent, as in proto JSON", async () => {
    const { status } = await score(server, { ...clips.pair, model: null, rawVideo: null, subsample: null });
    assert.equal(status, 200);
  });
});

describe("a refusal", () => {
  const cases: [name: string, change: object, status: number, code: string, detail: RegExp][] = [
    ["no reference", { reference: undefined }, 400, "INVALID_REQUEST", /reference is missing/],
    ["no distorted", { distorted: undefined }, 400, "INVALID_REQUEST", /distorted is missing/],
    ["an empty path", { reference: "" }, 400, "INVALID_REQUEST", /reference/],
    ["a number as a path", { reference: 7 }, 400, "INVALID_REQUEST", /reference must be string/],
    ["a NUL in a path", { reference: "a\0b" }, 400, "INVALID_REQUEST", /control character/],
    ["a path of 5000 bytes", { distorted: "x".repeat(5000) }, 400, "INVALID_REQUEST", /distorted/],
    ["4096 characters in more bytes", { distorted: "é".repeat(4000) }, 400, "INVALID_REQUEST", /4096 bytes/],
    ["half a surrogate pair", { reference: "\ud800" }, 400, "INVALID_REQUEST", /./],
    ["a misspelt member", { subsampel: 2 }, 400, "INVALID_REQUEST", /"subsampel" is not a member/],
    ["a proto field name", { raw_video: {} }, 400, "INVALID_REQUEST", /"raw_video" is not a member/],
    ["model and models", { model: "a", models: ["b"] }, 400, "INVALID_REQUEST", /model and models/],
    [
      "nine models",
      { models: Array.from({ length: 9 }, (_, index) => `m${index}`) },
      400,
      "INVALID_REQUEST",
      /models/,
    ],
    ["a model twice", { models: ["a", "a"] }, 400, "INVALID_REQUEST", /twice/],
    ["a path as a model", { model: "../../etc/passwd" }, 400, "INVALID_REQUEST", /not a model name/],
    ["an unknown model", { model: "vmaf_v9" }, 400, "UNKNOWN_MODEL", /vmaf_v9/],
    ["an unknown feature", { features: ["sharpness"] }, 400, "UNKNOWN_FEATURE", /psnr, ssim, ms_ssim/],
    ["subsample 0", { subsample: 0 }, 400, "INVALID_REQUEST", /subsample/],
    ["subsample 1001", { subsample: 1001 }, 400, "INVALID_REQUEST", /subsample/],
    ["an unknown policy", { scaling: "LANCZOS" }, 400, "INVALID_REQUEST", /AUTO, REFUSE/],
    [
      "raw video without a height",
      { rawVideo: { width: 2 } },
      400,
      "INVALID_REQUEST",
      /rawVideo.height is missing/,
    ],
    ["raw video 0 wide", { rawVideo: { width: 0, height: 2 } }, 400, "INVALID_REQUEST", /rawVideo.width/],
    [
      "a zero frame rate",
      { rawVideo: { width: 2, height: 2, frameRate: "25/0" } },
      400,
      "INVALID_REQUEST",
      /rawVideo.frameRate/,
    ],
    ["a missing file", { distorted: "/no/such/file.mp4" }, 422, "MEDIA_NOT_FOUND", /no\/such\/file\.mp4/],
    ["a directory", { distorted: "/" }, 422, "MEDIA_NOT_A_FILE", /./],
    ["a file without video", { distorted: import.meta.filename }, 422, "MEDIA_UNSUPPORTED", /./],
  ];
  for (const [name, change, status, code, detail] of cases) {
    test(`${name}: ${status} ${code}`, async () => {
      const answer = await score(server, { ...clips.pair, ...change });
      assert.equal(answer.body.code, code, JSON.stringify(answer.body));
      assert.equal(answer.status, status);
      assert.match(answer.body.detail, detail);
    });
  }

  test("different frame counts: 422, with the facts about each side, and the option that may help", async () => {
    const { status, body } = await score(server, { ...clips.longPair, distorted: clips.pair.distorted });
    assert.equal(status, 422);
    assert.match(body.code, /^FRAME_(COUNT|RATE)_MISMATCH$/);
    assert.deepEqual(Object.keys(body.found ?? {}).sort(), ["distorted", "reference", "remedy"]);
    assert.deepEqual(body.found?.["remedy"], {
      option: "onFrameCountMismatch",
      value: "COMMON",
      onlyIf: "the missing frames are the last ones",
    });
  });
});

test("outside the media roots: 403, equally whether or not the file exists, also through a symlink", async () => {
  const root = clips.directory.file("root");
  await mkdir(root);
  await copyFile(clips.pair.reference, join(root, "reference.y4m"));
  await copyFile(clips.pair.distorted, join(root, "distorted.mp4"));
  await symlink(clips.pair.distorted, join(root, "escape.mp4"));
  await using rooted = await ServerProcess.start({ args: ["--media-root", root] });
  const inside = { reference: join(root, "reference.y4m"), distorted: join(root, "distorted.mp4") };
  assert.equal((await score(rooted, inside)).status, 200);
  for (const distorted of [
    clips.pair.distorted,
    "/no/such.mp4",
    join(root, "escape.mp4"),
    join(root, "../x.mp4"),
  ]) {
    const { status, body } = await score(rooted, { ...inside, distorted });
    assert.equal(status, 403, distorted);
    assert.equal(body.code, "PATH_NOT_ALLOWED");
    assert.deepEqual(body.found, undefined);
  }
  assert.equal(
    (await score(rooted, { ...inside, distorted: join(root, "missing.mp4") })).body.code,
    "MEDIA_NOT_FOUND",
  );
});

describe("while scores run", () => {
  test("over the limit is 429 with Retry-After; probes answer; a client that disconnects stops its scorer", async () => {
    const first = await startLong(server, "first");
    const second = await startLong(server, "second");
    const refused = await score(server, clips.pair);
    assert.equal(refused.status, 429);
    assert.equal(refused.body.code, "TOO_MANY_SCORES");
    assert.deepEqual(refused.body.found, { running: 2, limit: 2 });
    assert.ok(Number(refused.headers.get("retry-after")) >= 1);
    for (const probe of ["/v1/health", "/readyz", "/metrics"]) {
      assert.equal((await fetch(server.rest + probe)).status, 200, probe);
    }
    first.stop.abort();
    second.stop.abort();
    await server.scorerGone();
    for (const requestId of ["first", "second"]) {
      await server.logged("score refused", { requestId, code: "SCORE_CANCELLED" });
    }
    await Promise.all([first.answer, second.answer]);
    assert.equal((await score(server, clips.pair)).status, 200, "the slots are free again");
    const metrics = await (await fetch(`${server.rest}/metrics`)).text();
    assert.match(metrics, /svc_scores_total\{code="SCORE_CANCELLED"\} 2/);
    assert.match(metrics, /svc_http_requests_total\{method="POST",route="\/v1\/score",status="499"\} 2/);
  });

  test("a connection that is reset stops its scorers, also for pipelined requests", async () => {
    const socket = dial(server);
    const long = JSON.stringify(clips.longPair);
    socket.write(rawPost(long, "x-request-id: pipe-1\r\n") + rawPost(long, "x-request-id: pipe-2\r\n"));
    await server.logged("score started", { requestId: "pipe-1" });
    await server.logged("score started", { requestId: "pipe-2" });
    await server.scorerRuns();
    socket.resetAndDestroy();
    await server.scorerGone();
    await server.logged("score refused", { requestId: "pipe-2", code: "SCORE_CANCELLED" });
    assert.equal((await ask(server, "/v1/health")).status, 200);
  });

  test("longer than --score-timeout is 504", async () => {
    await using hasty = await ServerProcess.start({ args: ["--score-timeout", "1"] });
    const { status, body } = await score(hasty, clips.longPair);
    assert.equal(status, 504);
    assert.equal(body.code, "SCORE_TIMEOUT");
    await hasty.scorerGone();
  });
});
