import assert from "node:assert/strict";
import { test } from "node:test";
import { type JobAnswer, jobsCsv } from "../../../../src/report/csv/jobs.ts";

const JOB: JobAnswer = {
  id: "6f1c",
  tenantId: "dev",
  spec: {
    reference: "/a, b.mp4",
    distorted: '/"c".mp4',
    name: "two\nlines",
    labels: { release: "7", codec: "av1" },
  },
  state: "SUCCEEDED",
  segmentsTotal: 1,
  segmentsDone: 1,
  retries: 0,
  createTime: "2026-05-17T09:30:00Z",
  endTime: "2026-05-17T09:31:00Z",
  submittedBy: "",
  revision: 3,
  score: 93.5,
  distortedMedia: { codec: "av1", width: 1920, height: 1080, videoBitRate: 2_500_000 },
};

const GATE = { metric: "vmaf", statistic: "p5", limit: 85 } as const;
const GATES = [
  { ...GATE, gate: "vmaf.p5=85", verdict: "FAILED" as const, value: 80 },
  { ...GATE, gate: "vmaf.mean=93", verdict: "VERDICT_UNSPECIFIED" as const },
];

test("each job is a line, with names quoted", () => {
  assert.deepEqual(
    [...jobsCsv([JOB])],
    [
      "id,name,state,score,low,high,models,reference,distorted,codec,width,height,rate,labels,submitted,submitted_by,ended,error,gates\n",
      '6f1c,"two\nlines",SUCCEEDED,93.5,,,vmaf_v0.6.1,"/a, b.mp4","/""c"".mp4",av1,1920,1080,2500000,release=7 codec=av1,2026-05-17T09:30:00Z,,2026-05-17T09:31:00Z,,\n',
    ],
  );
});

test("a job without models has the default model, and one that only diagnoses has none", () => {
  const spec = { reference: "/r", distorted: "/d" };
  const jobs = [spec, { ...spec, model: "vmaf_4k_v0.6.1" }, { ...spec, diagnoseOnly: true }];
  assert.deepEqual(
    [
      ...jobsCsv(
        jobs.map((each) => ({ ...JOB, spec: each })),
        false,
      ),
    ].map((line) => line.split(",")[6]),
    ["vmaf_v0.6.1", "vmaf_4k_v0.6.1", ""],
  );
});

test("an estimate has its interval, and a failed job its error", () => {
  const { score: _, ...unscored } = JOB;
  const estimate = { score: 90, low: 89, high: 91, scoredShare: 0.1 };
  const models = ["v1", "v1-phone"];
  const spec = { reference: "/r", distorted: "/d", models };
  const failed = {
    ...unscored,
    state: "FAILED",
    error: { code: "MEDIA_NOT_FOUND", message: "gone" },
  } as const;
  const lines = [
    ...jobsCsv(
      [
        { ...unscored, spec, estimate },
        { ...failed, spec },
        { ...unscored, spec, gates: GATES },
      ],
      false,
    ),
  ];
  assert.match(lines[0] ?? "", /^6f1c,,SUCCEEDED,90,89,91,v1 v1-phone,/);
  assert.match(lines[1] ?? "", /^6f1c,,FAILED,,,,.*,MEDIA_NOT_FOUND,\n$/);
  assert.match(lines[2] ?? "", /,vmaf\.p5=85:FAILED vmaf\.mean=93\n$/);
});
