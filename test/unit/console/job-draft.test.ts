/** The submit dialog's draft: the jobs that it describes, and its faults, compared with the controller's. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { create, fromJson, type JsonValue, type MessageInitShape } from "@bufbuild/protobuf";
import { checkSpec } from "../../../src/controller/requests/job-spec.ts";
import { JobSpecSchema } from "../../../src/gen/proto/svc/v1/job_pb.ts";
import { Failure } from "../../../src/platform/failure.ts";
import { ApiError } from "../../../web/src/api/problem.ts";
import type { JobSpec } from "../../../web/src/jobs/job-facts.ts";
import {
  draftOf,
  EMPTY_DRAFT,
  type Field,
  type JobDraft,
  specsOf,
} from "../../../web/src/jobs/submit/draft.ts";
import { faultOfRefusal, faultsOf } from "../../../web/src/jobs/submit/draft-faults.ts";

const PAIR = { reference: "/r.mov", distorted: "/d.mp4" };

function draft(parts: Partial<JobDraft> = {}): JobDraft {
  return { ...EMPTY_DRAFT, ...PAIR, ...parts };
}

test("omits fields left at their defaults", () => {
  assert.deepEqual(specsOf(draft()), [PAIR]);
});

test("a draft of a diagnosis keeps no settings of a comparison", () => {
  const spec = { ...PAIR, offset: 3, findings: { action: "WARN", codes: { BARS: "IGNORE" } } } as const;
  const again = draftOf(spec);
  assert.deepEqual(specsOf({ ...again, findings: "REFUSE", diagnoseOnly: true }), [
    { ...PAIR, diagnoseOnly: true },
  ]);
  assert.deepEqual(specsOf(draftOf({ ...PAIR, diagnoseOnly: true })), [{ ...PAIR, diagnoseOnly: true }]);
  assert.deepEqual(specsOf(again), [spec]);
});

test("a line is a gate, with spaces where the controller takes them; a fault names its line", () => {
  const typed = draft({ gates: " vmaf.mean= 93 \n\nvmaf.p5=85\n" });
  assert.deepEqual(faultsOf(typed), {});
  assert.deepEqual(specsOf(typed), [{ ...PAIR, gates: ["vmaf.mean= 93", "vmaf.p5=85"] }]);
  assert.deepEqual(specsOf(draftOf(specsOf(typed)[0] ?? PAIR)), specsOf(typed));
  const faulty = faultsOf(draft({ gates: "vmaf.mean=93\nvmaf.average=85" }));
  assert.match(faulty.gates ?? "", /^Line 2: .*"average" isn't a valid statistic/);
});

test("every typed field is in the job", () => {
  const full = draft({
    reference: "  /a b.mov ",
    models: "vmaf_v0.6.1, vmaf_4k_v0.6.1",
    name: " name ",
    labels: "title=a=b\n\n codec = av1 \n",
    priority: "-5",
    features: ["psnr", "cambi"],
    width: "640",
    height: "360",
    pixelFormat: "yuv420p10le",
    frameRate: "30000/1001",
    scaling: "REFUSE",
    onFrameCountMismatch: "COMMON",
    onFrameRateMismatch: "COMMON",
    editLists: "IGNORE",
    findings: "WARN",
    fix: true,
    subsample: "3",
  });
  assert.deepEqual(faultsOf(full), {});
  const [spec] = specsOf(full);
  assert.deepEqual(spec, {
    reference: "/a b.mov",
    distorted: "/d.mp4",
    models: ["vmaf_v0.6.1", "vmaf_4k_v0.6.1"],
    name: "name",
    labels: { title: "a=b", codec: "av1" },
    priority: -5,
    features: ["psnr", "cambi"],
    rawVideo: { width: 640, height: 360, pixelFormat: "yuv420p10le", frameRate: "30000/1001" },
    scaling: "REFUSE",
    onFrameCountMismatch: "COMMON",
    onFrameRateMismatch: "COMMON",
    editLists: "IGNORE",
    findings: { action: "WARN" },
    fix: true,
    subsample: 3,
  });
  checkSpec(fromJson(JobSpecSchema, spec as JsonValue), []);
});

test("a job's spec survives a round trip through a draft", () => {
  const full: JobSpec = {
    reference: "/a b.mov",
    distorted: "/d.mp4",
    models: ["vmaf_v0.6.1", "vmaf_4k_v0.6.1"],
    name: "name",
    labels: { title: "a=b", empty: "" },
    priority: -5,
    features: ["psnr", "cambi"],
    rawVideo: { width: 640, height: 360, pixelFormat: "yuv420p10le", frameRate: "30000/1001" },
    scaling: "REFUSE",
    onFrameCountMismatch: "COMMON",
    onFrameRateMismatch: "COMMON",
    editLists: "IGNORE",
    findings: { action: "IGNORE", codes: { OFFSET: "WARN" } },
    fix: true,
    subsample: 3,
    offset: -5,
    start: 10,
    duration: 250,
    crop: { distorted: { x: 0, y: 140, width: 1920, height: 800 } },
    mirror: { reference: "BOTH" },
    rangeOf: { distorted: "FULL" },
    matrixOf: { reference: "BT709", distorted: "BT601" },
  };
  const runs = [{ reference: 0, distorted: 5, count: 100 }];
  for (const spec of [full, PAIR, { ...PAIR, runs }]) {
    assert.deepEqual(specsOf(draftOf(spec)), [spec]);
    assert.deepEqual(faultsOf(draftOf(spec)), {});
  }
  assert.deepEqual(specsOf(draftOf({ ...PAIR, model: "vmaf_4k_v0.6.1" }))[0]?.models, ["vmaf_4k_v0.6.1"]);
});

test("shows a job's error at the field that caused it", () => {
  const error = { code: "MEDIA_NOT_FOUND", message: 'The distorted file "/d.mp4" does not exist.' };
  assert.deepEqual(faultOfRefusal(error, draftOf(PAIR)), { distorted: error.message });
  assert.equal(
    faultOfRefusal({ code: "FRAME_COUNT_MISMATCH", message: "12 and 7." }, draftOf(PAIR)),
    undefined,
  );
});

test("each distorted file becomes a job named after it", () => {
  const files = { distorted: "/out/one.mp4\n\n  /out/two.mp4  \n" };
  assert.deepEqual(
    specsOf(draft({ ...files, name: "night" })).map(({ distorted, name }) => [distorted, name]),
    [
      ["/out/one.mp4", "night · one.mp4"],
      ["/out/two.mp4", "night · two.mp4"],
    ],
  );
  assert.equal(specsOf(draft(files))[0]?.name, undefined);
});

test("accepts the names of objects in storages", () => {
  const reference = "s3://masters/a.mov?versionId=3";
  assert.deepEqual(faultsOf(draft({ reference, distorted: "https://cdn.example/a.mp4" })), {});
});

/** Invalid drafts. The controller refuses each of them at the same field. */
const WRONG: readonly (readonly [Field, Partial<JobDraft>])[] = [
  ["reference", { reference: " " }],
  ["reference", { reference: "/a\u0007b" }],
  ["reference", { reference: `/${"ü".repeat(2048)}` }],
  ["reference", { reference: "https://cdn.example/a.mp4?token=x" }],
  ["distorted", { distorted: "http://cdn.example/a.mp4" }],
  ["distorted", { distorted: "/a\ud800b" }],
  ["models", { models: "../../etc/passwd" }],
  ["models", { models: "a b a" }],
  ["models", { models: "a b c d e f g h i" }],
  ["name", { name: "n".repeat(201) }],
  ["name", { name: "a\u0007b" }],
  ["labels", { labels: "a key=1" }],
  ["labels", { labels: `k=${"v".repeat(256)}` }],
  ["labels", { labels: Array.from({ length: 33 }, (_, index) => `k${index}=v`).join("\n") }],
  ["priority", { priority: "101" }],
  ["width", { width: "20000", height: "2" }],
  ["pixelFormat", { width: "2", height: "2", pixelFormat: "YUV 4:2:0" }],
  ["frameRate", { width: "2", height: "2", frameRate: "fast" }],
  ["subsample", { subsample: "1001" }],
];

for (const [field, parts] of WRONG)
  test(`finds the fault in ${field} at the same field as the controller: ${JSON.stringify(parts).slice(0, 60)}`, () => {
    const wrong = draft(parts);
    assert.deepEqual(Object.keys(faultsOf(wrong)), [field]);
    const [spec = PAIR] = specsOf(wrong);
    const refusal = refusalOf(spec);
    assert.deepEqual(Object.keys(faultOfRefusal(refusal, wrong) ?? {}), [field], refusal.message);
  });

/** The controller's refusal of a spec. */
function refusalOf(spec: MessageInitShape<typeof JobSpecSchema>): ApiError {
  try {
    checkSpec(create(JobSpecSchema, spec), []);
  } catch (thrown) {
    const { code, message, found } = Failure.from(thrown);
    return new ApiError(400, code, message, "", found);
  }
  throw new Error(`the controller accepts ${JSON.stringify(spec)}`);
}

test("finds faults that cannot even be sent: not a number, not a label, or an incomplete geometry", () => {
  const cases: readonly (readonly [Field, Partial<JobDraft>])[] = [
    ["priority", { priority: "high" }],
    ["priority", { priority: "1.5" }],
    ["subsample", { subsample: "0" }],
    ["labels", { labels: "no sign" }],
    ["labels", { labels: "a=1\na=2" }],
    ["height", { width: "640" }],
    ["distorted", { distorted: "\n \n" }],
  ];
  for (const [field, parts] of cases) assert.deepEqual(Object.keys(faultsOf(draft(parts))), [field]);
});

test("a refusal within a batch names the line; a refusal of the whole request has no field", () => {
  const two = draft({ distorted: "/one.mp4\n/two.mp4" });
  const path = new ApiError(403, "PATH_NOT_ALLOWED", 'jobs[1]: "/two.mp4" is not inside a media root.', "", {
    index: 1,
  });
  assert.deepEqual(faultOfRefusal(path, two), {
    distorted: 'Line 2: "/two.mp4" is not inside a media root.',
  });
  const model = new ApiError(400, "UNKNOWN_MODEL", "No node has it.", "");
  assert.deepEqual(faultOfRefusal(model, two), { models: "No node has it." });
  assert.equal(faultOfRefusal(new ApiError(503, "STORE_UNAVAILABLE", "Later.", ""), two), undefined);
});
