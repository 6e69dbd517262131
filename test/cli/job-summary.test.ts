/** The summary of a list of jobs: a line for each, aligned, and the totals. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { scoredApartLines, scorersLines } from "../../src/cli/jobs/scored-apart.ts";
import { type EndedJob, summaryLines, totalsLine } from "../../src/cli/submit/summary.ts";
import type { Terminal } from "../../src/cli/terminal/terminal.ts";
import { columnsOf } from "../../src/cli/terminal/width.ts";
import { Job_State } from "../../src/gen/proto/svc/v1/job_pb.ts";
import { parseGate } from "../../src/jobs/gates/gate.ts";
import { Failure } from "../../src/platform/failure.ts";
import { HOSTILE, ID, job, succeeded } from "./jobs.ts";

const PIPE: Terminal = { columns: Number.POSITIVE_INFINITY, color: false, unicode: false, live: false };
const SCREEN: Terminal = { columns: 80, color: false, unicode: true, live: true };
const LONG = "a trailer of a film with a name that nobody reads to its end";

const gate = (value: number): EndedJob["gates"][number] => {
  const limit = parseGate("vmaf.mean=93");
  return { gate: limit, value, verdict: value >= limit.limit ? "PASSED" : "FAILED" };
};
const error = {
  code: "FRAME_COUNT_MISMATCH",
  message: "The counts differ. Give the same content, or set onFrameCountMismatch to COMMON.",
};
const JOBS: readonly EndedJob[] = [
  { job: succeeded({ spec: { name: "trailer" } }), gates: [gate(93.5)] },
  { job: succeeded({ score: 80.25, spec: { name: LONG } }), gates: [gate(80.25)] },
  { job: job({ state: Job_State.FAILED, error }), gates: [] },
  { job: job({ state: Job_State.CANCELLED }), gates: [] },
];

test("prints id, name or distorted file, state, score, and gates or reason, uncut in a pipe", () => {
  const name = (text: string) => text.padEnd(LONG.length);
  assert.deepEqual(summaryLines(JOBS, PIPE), [
    `ID                                    ${name("NAME")}  STATE          SCORE  RESULT`,
    `${ID}  ${name("trailer")}  SUCCEEDED  93.500000  pass`,
    `${ID}  ${LONG}  SUCCEEDED  80.250000  FAIL vmaf.mean 80.250000 < 93`,
    `${ID}  ${name("encode.mp4")}  FAILED             -  FRAME_COUNT_MISMATCH: The counts differ. Give the same content, or use --on-frame-count-mismatch common.`,
    `${ID}  ${name("encode.mp4")}  CANCELLED          -`,
  ]);
});

test("on a terminal, cuts the name and drops the id to make room for the result", () => {
  for (const columns of [80, 100, 140, 200]) {
    const lines = summaryLines(JOBS, { ...SCREEN, columns });
    for (const line of lines) assert.ok(columnsOf(line) <= columns, line);
    assert.match(
      lines[2] ?? "",
      /a trailer of a film with a … {2}SUCCEEDED {2}80\.250000 {2}FAIL vmaf\.mean/,
    );
    assert.match(lines[3] ?? "", / FRAME_COUNT_MISMATCH: /);
    assert.equal(lines[1]?.includes(ID), columns >= 140);
  }
});

test("shows a score whose gate cannot be checked, with the reason", () => {
  const fault = new Failure("INVALID_REQUEST", "--fail-under: there is no such metric.");
  const [, line] = summaryLines([{ job: succeeded(), gates: [], fault }], PIPE);
  assert.match(
    line ?? "",
    /SUCCEEDED {2}93\.500000 {2}INVALID_REQUEST: --fail-under: there is no such metric\.$/,
  );
});

test("totals count states and scores below a gate", () => {
  assert.equal(totalsLine(JOBS), "4 jobs: 2 succeeded (1 below a gate), 1 failed, 1 cancelled");
  assert.equal(totalsLine(JOBS.slice(0, 1)), "1 job: 1 succeeded");
});

test("escapes a hostile name or reason, which stays on its line", () => {
  const hostile = {
    job: job({ state: Job_State.FAILED, spec: { name: HOSTILE }, error: { code: "X", message: HOSTILE } }),
    gates: [],
  };
  for (const terminal of [PIPE, SCREEN]) {
    for (const line of summaryLines([hostile], terminal)) assert.doesNotMatch(line, /[\p{Cc}\p{Cf}]/u);
  }
});

test("notes which scorers and models the results of a list have, if they differ", () => {
  const by = (libvmafVersion: string, name: string) =>
    job({
      state: Job_State.SUCCEEDED,
      result: {
        scorer: { program: "ffmpeg", version: "n9", libvmafVersion },
        models: [{ model: "v1", metric: "vmaf", name }],
      },
    });
  const [old, now] = [by("one", "vmaf_v1.0.16_3d0h"), by("two", "vmaf_v1.0.16_3d0h")];
  assert.deepEqual(scoredApartLines([now, now, job({})], PIPE), []);
  assert.deepEqual(scoredApartLines([old, now, now], PIPE), [
    "Note: scored by different scorers: ffmpeg n9, libvmaf one (1 job); ffmpeg n9, libvmaf two (2 jobs). Between versions of libvmaf, scores of the 0.6.1 models differ by up to 0.00012 in HD, and by more in small frames.",
  ]);
  assert.deepEqual(scoredApartLines([now, by("two", "vmaf_v1.0.16_1d5h_2160")], PIPE), [
    "Note: vmaf holds scores of different models: vmaf_v1.0.16_3d0h (1 job); vmaf_v1.0.16_1d5h_2160 (1 job).",
  ]);
  for (const line of scoredApartLines([old, now], SCREEN)) assert.ok(line.length <= 80, line);
});

test("notes under a list of jobs which scorers they have, which cannot break the line", () => {
  assert.deepEqual(scorersLines([], PIPE), []);
  const counts = [
    { text: "ffmpeg n9, libvmaf one", count: 1 },
    { text: `ffmpeg n9, libvmaf ${HOSTILE}`, count: 2 },
  ];
  const [line = "", ...others] = scorersLines(counts, PIPE);
  assert.match(
    line,
    /^Note: scored by different scorers: ffmpeg n9, libvmaf one \(1 job\); .* \(2 jobs\)\. Between versions/,
  );
  assert.deepEqual(others, []);
  assert.doesNotMatch(line, /[\p{Cc}\p{Cf}]/u);
  for (const part of scorersLines(counts, SCREEN)) assert.ok(part.length <= 80, part);
});
