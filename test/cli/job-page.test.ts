import assert from "node:assert/strict";
import { test } from "node:test";
import { jobLines, jobPage } from "../../src/cli/jobs/job-page.ts";
import type { Terminal } from "../../src/cli/terminal/terminal.ts";
import { columnsOf } from "../../src/cli/terminal/width.ts";
import { Job_State, JobWork_Kind, JobWork_State } from "../../src/gen/proto/svc/v1/job_pb.ts";
import { HOSTILE, ID, job, NOW, running, succeeded } from "./jobs.ts";

const TERMINAL: Terminal = { columns: 80, color: false, unicode: false, live: false };
const page = (shown: Parameters<typeof jobPage>[0], columns = 80) =>
  jobPage(shown, { ...TERMINAL, columns }, NOW).join("\n");

const PLAN = { kind: JobWork_Kind.PLAN, state: JobWork_State.DONE, attempt: 1, node: "encoder-1" };
const SEGMENTS = [JobWork_State.DONE, JobWork_State.LEASED, JobWork_State.WAITING, JobWork_State.PENDING].map(
  (state, index) => ({
    kind: JobWork_Kind.SEGMENT,
    state,
    firstFrame: index * 50,
    frameCount: 50,
    attempt: index,
    node: state === JobWork_State.PENDING ? "" : "encoder-2",
  }),
);

test("shows a running job: facts, progress, and the tasks in work", () => {
  const text = page(
    running(61, {
      spec: { name: "trailer", labels: { release: "7" }, models: ["vmaf_v0.6.1"], features: ["psnr"] },
      work: [PLAN, ...SEGMENTS],
      retries: 1,
    }),
  );
  assert.match(text, new RegExp(`^Job +${ID}$`, "m"));
  assert.match(text, /^Labels +release=7$/m);
  assert.match(text, /^State +RUNNING, 1 task retried$/m);
  assert.match(text, /30 % {2}61\/200 frames {2}50\.0 fps {2}0:03 left$/m);
  assert.match(text, /^1 of 4 segments$/m);
  assert.match(text, /^Tasks: 2 done, 1 leased, 1 waiting, 1 pending; on encoder-1, encoder-2$/m);
  assert.match(text, /^frames 50-99 +LEASED +1 +encoder-2$/m);
  assert.doesNotMatch(text, /frames 0-49|^frames 150/m);
});

test("shows a planned job: what was found in both files, and the warnings", () => {
  const media = {
    ...{ container: "mp4", codec: "h264", width: 1280, height: 720, pixelFormat: "yuv420p", bitDepth: 8 },
    ...{ frameRate: "30000/1001", frames: 200 },
  };
  const warnings = [{ code: "SCALED", message: "The distorted video is scaled." }];
  const text = page(running(5, { plan: { reference: media, distorted: media, warnings } }), 200);
  assert.match(
    text,
    /^Reference {2}"\/film\/source\.mov" {2}mp4, h264, 1280x720, yuv420p, 29\.97 fps, 200 frames$/m,
  );
  assert.match(text, /^Distorted {2}"\/film\/encode\.mp4" {2}mp4, h264/m);
  assert.match(text, /^Warning: The distorted video is scaled\. \(SCALED\)$/m);
});

test("limits the task list of a film", () => {
  const leased = Array.from({ length: 100 }, (_, n) => ({
    kind: JobWork_Kind.SEGMENT,
    state: JobWork_State.LEASED,
    firstFrame: n * 50,
    frameCount: 50,
  }));
  assert.match(page(running(1, { work: leased })), /… and 80 more/);
});

test("shows why a job failed, with the facts", () => {
  const error = {
    code: "FRAME_COUNT_MISMATCH",
    message: "The two differ.",
    found: { reference: { frames: 30 }, remedy: { option: "editLists", value: "IGNORE" } },
  };
  const text = page(job({ state: Job_State.FAILED, error }));
  assert.match(text, /^State +FAILED$/m);
  assert.match(
    text,
    /^error: The two differ\. \[FRAME_COUNT_MISMATCH\]\n +To score the pair: --edit-lists ignore\n +reference: \{"frames":30\}$/m,
  );
});

test("escapes hostile names, labels, messages and nodes at every width", () => {
  const shown = running(5, {
    state: Job_State.FAILED,
    spec: {
      name: HOSTILE,
      reference: HOSTILE,
      distorted: HOSTILE,
      labels: { a: HOSTILE },
      models: [HOSTILE],
    },
    submittedBy: HOSTILE,
    error: { code: HOSTILE, message: HOSTILE, found: { [HOSTILE]: HOSTILE } },
    work: [{ kind: JobWork_Kind.WHOLE, state: JobWork_State.LEASED, node: HOSTILE }],
    plan: {
      reference: { container: HOSTILE, codec: HOSTILE, frameRate: HOSTILE },
      warnings: [{ code: HOSTILE, message: HOSTILE }],
    },
  });
  const fits = (lines: readonly string[], columns: number): void => {
    assert.ok(lines.length > 0);
    for (const line of lines) {
      assert.doesNotMatch(line, /[\p{Cc}\p{Cf}]/u);
      assert.ok(columnsOf(line) <= columns, `${columns}: ${line}`);
    }
  };
  for (const columns of [20, 40, 80]) fits(jobPage(shown, { ...TERMINAL, columns }, NOW), columns);
  fits(jobLines(shown, TERMINAL), 80);
});

test("ends a report with the job and its duration", () => {
  assert.deepEqual(jobLines(succeeded(), TERMINAL), [`Job ${ID} "encode.mp4", 12.3 s from start to end.`]);
});
