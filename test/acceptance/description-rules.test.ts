/** Checks that the served OpenAPI description and the controller accept and refuse the same requests. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { MediaDirectory } from "../media/directory.ts";
import { Contract, type Definition, type Parts } from "../server/contract.ts";
import { ControllerProcess } from "../server/controller-process.ts";
import { ask } from "../server/rest-client.ts";

const JOB = "7d9a1a52-3f4b-4c39-9a58-0d4f6f0f9a11";
const PAIR = { reference: "/media/reference.mp4", distorted: "/media/distorted.mp4" };

interface Request {
  readonly operation: string;
  readonly method?: string;
  readonly path: string;
  /** The values of the parameters in `path`. */
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | string[]>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object;
}

const submit = (more: object): Request => ({
  operation: "submitJob",
  path: "/v1/jobs",
  body: { ...PAIR, ...more },
});
const keyed = (key: string): Request => ({ ...submit({}), headers: { "Idempotency-Key": key } });
const still = (frame: string, side: string): Request => ({
  operation: "getStill",
  method: "get",
  path: `/v1/jobs/${JOB}/stills/${frame}/${side}`,
  params: { id: JOB, frame, side },
});
const clip = (frame: string): Request => ({
  operation: "getClip",
  method: "get",
  path: `/v1/jobs/${JOB}/clips/${frame}`,
  params: { id: JOB, frame },
});
const list = (label: string): Request => ({
  operation: "listJobs",
  method: "get",
  path: "/v1/jobs",
  query: { label: [label] },
});

const REFUSED: Readonly<Record<string, Request>> = {
  "a model and models": submit({ model: "vmaf_v0.6.1", models: ["vmaf_v0.6.1neg"] }),
  "a model and models in a batch": {
    operation: "submitJobs",
    path: "/v1/jobs:batch",
    body: { jobs: [{ job: { ...PAIR, model: "a", models: ["b"] } }] },
  },
  "a model and models in a score": {
    operation: "score",
    path: "/v1/score",
    body: { ...PAIR, model: "a", models: ["b"] },
  },
  "a model twice": submit({ models: ["vmaf_v0.6.1", "vmaf_v0.6.1"] }),
  "a model that is a path": submit({ model: "../model" }),
  "an unknown feature": submit({ features: ["vmaf"] }),
  "a control character in a path": submit({ reference: "/media/\u0007.mp4" }),
  "a control character in a name": submit({ name: "a\u009f" }),
  "a control character in a label": submit({ labels: { a: "\u0000" } }),
  "an invalid frame rate": submit({ rawVideo: { width: 16, height: 16, frameRate: "25/0" } }),
  "an invalid pixel format": submit({ rawVideo: { width: 16, height: 16, pixelFormat: "YUV 420" } }),
  "an Idempotency-Key that is too long": keyed("k".repeat(256)),
  "an Idempotency-Key beyond ASCII": keyed("é"),
  "an unknown side": still("1", "left"),
  "a frame that isn't a number": still("first", "reference"),
  "a frame below 0": still("-1", "reference"),
  "a frame of a clip that isn't a number": clip("first"),
  "a label without a value": list("alone"),
  "a label without a key": list("=x"),
  "an invalid id of a stream": {
    operation: "streamJobs",
    method: "get",
    path: "/v1/jobs:stream",
    query: { id: ["x"] },
  },
};

const TAKEN: Readonly<Record<string, Request>> = {
  "a model": submit({ model: "vmaf_v0.6.1" }),
  "models and an empty model": submit({ model: "", models: ["vmaf_v0.6.1", "vmaf_v0.6.1neg"] }),
  "a model and no models": submit({ model: "vmaf_v0.6.1", models: [] }),
  "every spelling of features": submit({ features: ["psnr", "ms-ssim", "float_ssim", "psnr-hvs", "cambi"] }),
  "a path in any script": submit({ reference: "/media/Фильм 🎬.mp4" }),
  "raw video": submit({ rawVideo: { width: 16, height: 16, pixelFormat: "yuv420p10le", frameRate: "0.5" } }),
  "a rate as a fraction": submit({ rawVideo: { width: 16, height: 16, frameRate: "30000/1001" } }),
  "the longest Idempotency-Key": keyed("k".repeat(255)),
  "an Idempotency-Key with a space": keyed("a b"),
  "a label": list("title:a=b:c"),
};

let directory: MediaDirectory;
let controller: ControllerProcess;
let contract: Contract;
before(async () => {
  directory = await MediaDirectory.open();
  controller = await ControllerProcess.start({ dataDir: directory.file("data") });
  contract = new Contract((await ask<Definition>(controller, "/ui/spec.json")).body);
});
after(async () => {
  await controller[Symbol.asyncDispose]();
  await directory.remove();
});

async function answerTo({ method = "post", path, query, headers, body }: Request) {
  const search = Object.entries(query ?? {}).flatMap(([name, values]) =>
    [values].flat().map((value): [string, string] => [name, value]),
  );
  const address = search.length === 0 ? path : `${path}?${String(new URLSearchParams(search))}`;
  return ask(controller, address, {
    method: method.toUpperCase(),
    headers: { ...(body && { "content-type": "application/json" }), ...headers },
    ...(body && { body: JSON.stringify(body) }),
  });
}

function isDescribed({ operation, params, query, headers, body }: Request): boolean {
  const parts: Parts = { path: params, query, header: headers, body };
  return contract.allows(operation, parts);
}

describe("refused by the description and by the controller:", () => {
  for (const [what, request] of Object.entries(REFUSED)) {
    test(what, async () => {
      assert.equal(isDescribed(request), false);
      const { status, body } = await answerTo(request);
      assert.equal(status, 400, JSON.stringify(body));
    });
  }
});

describe("accepted by both:", () => {
  for (const [what, request] of Object.entries(TAKEN)) {
    test(what, async () => {
      assert.equal(isDescribed(request), true);
      const { status, body } = await answerTo(request);
      assert.ok(status === 200 || status === 201, JSON.stringify(body));
    });
  }
});
