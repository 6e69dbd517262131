/** Checks that no message on the command line names a field of the API. */
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { type Node, parseSync } from "oxc-parser";
import { inOptions } from "../../../src/cli/api-names.ts";
import { JobSpecSchema } from "../../../src/gen/proto/svc/v1/job_pb.ts";
import { RawVideoSchema, ScoreRequestSchema } from "../../../src/gen/proto/svc/v1/scoring_pb.ts";
import { pairRequestOf } from "../../../src/messages/request.ts";

const SOURCES = fileURLToPath(new URL("../../../src", import.meta.url));
/** Sources with messages for people about a pair. A plan's JSON is only for machines. */
const SPEAKERS = [
  "engine/**/*.ts",
  "messages/*.ts",
  "controller/requests/job-spec.ts",
  "controller/jobs/submit*.ts",
];
const OF_MACHINES = ["engine/planning/plan-json.ts", "engine/planning/plan-check.ts"];

const FIELDS = [ScoreRequestSchema, RawVideoSchema, JobSpecSchema].flatMap(({ fields }) =>
  fields.map(({ localName }) => localName),
);
/** Matches camel-case names, policies in capitals and "rawVideo" anywhere, and every other name as the first word. */
const CAMEL = FIELDS.filter((name) => /[A-Z]/.test(name));
const API_NAME = new RegExp(
  `\\b(?:${CAMEL.join("|")}|COMMON|REFUSE|AUTO|IGNORE|APPLY)\\b|^(?:${FIELDS.join("|")}) (?:is|has|and|names)\\b`,
);
/** The two arguments have the same names as their fields. */
const ARGUMENT = /^(?:reference|distorted) /;

/** Returns the sentences in a source file: its strings with a space in them; "…" replaces interpolations. */
function sentencesOf(path: string): string[] {
  const found: string[] = [];
  const { program } = parseSync(path, readFileSync(path, "utf8"));
  const walk = (node: unknown): void => {
    if (typeof node !== "object" || node === null) return;
    const text = textOf(node as Node);
    if (text?.includes(" ")) found.push(text);
    for (const child of Object.values(node)) walk(child);
  };
  walk(program);
  return found;
}

function textOf(node: Node): string | undefined {
  if (node.type === "Literal") return typeof node.value === "string" ? node.value : undefined;
  return node.type === "TemplateLiteral" ? node.quasis.map(({ value }) => value.cooked).join("…") : undefined;
}

test("replaces field names in every sentence about a pair", () => {
  const paths = globSync(SPEAKERS, { cwd: SOURCES }).filter((path) => !OF_MACHINES.includes(path));
  const sentences = paths.flatMap((path) => sentencesOf(`${SOURCES}/${path}`));
  const named = sentences.filter((sentence) => API_NAME.test(sentence) && !ARGUMENT.test(sentence));
  assert.ok(named.length >= 8, `too few sentences name a field for a meaningful test: ${named.length}`);
  const left = named.map(inOptions).filter((sentence) => API_NAME.test(sentence));
  assert.deepEqual(left, []);
});

test("replaces field names in every refusal of a request's values", () => {
  const good = { reference: "/r.mp4", distorted: "/d.mp4" };
  const size = { width: 64, height: 64 };
  const cases = [
    [{ models: Array.from({ length: 9 }, (_, n) => `m${n}`) }, /^--model has 9 entries/],
    [{ model: "a", models: ["b"] }, /^--model/],
    [{ subsample: 5000 }, /^--subsample is 5000\. Use a whole number/],
    [{ scaling: 7 }, /^--no-scaling 7/],
    [{ onFrameCountMismatch: 7 }, /^--on-frame-count-mismatch 7/],
    [{ editLists: 7 }, /^--edit-lists 7/],
    [{ rawVideo: { ...size, width: 0 } }, /^the width of --size is 0/],
    [{ rawVideo: { ...size, height: 99_999 } }, /^the height of --size is 99999/],
    [{ rawVideo: { ...size, pixelFormat: "YUV" } }, /^--pixel-format "YUV" is not/],
    [{ rawVideo: { ...size, frameRate: "fast" } }, /^--frame-rate "fast" is not/],
  ] as const;
  for (const [request, reported] of cases) {
    const message = create(ScoreRequestSchema, { ...good, ...request } as MessageInitShape<
      typeof ScoreRequestSchema
    >);
    assert.throws(
      () => pairRequestOf(message),
      (error: Error) => {
        assert.match(inOptions(error.message), reported);
        return true;
      },
    );
  }
});

test("replaces advice about a policy within its sentence", () => {
  const cases = [
    ["or set onFrameCountMismatch to COMMON to score", "or use --on-frame-count-mismatch common to score"],
    ["Set editLists to IGNORE to score all.", "Use --edit-lists ignore to score all."],
    ["see onFrameRateMismatch: COMMON.", "see --on-frame-rate-mismatch common."],
    ["Set scaling to AUTO to have it scaled.", "Leave out --no-scaling to have it scaled."],
    ["set scaling to REFUSE to", "use --no-scaling to"],
    ["Give its rawVideo geometry.", "Give its geometry with --size WxH (and --pixel-format)."],
  ] as const;
  for (const [api, options] of cases) assert.equal(inOptions(api), options);
});

test("keeps ordinary words, and the fields of a list's line", () => {
  for (const text of [
    'There is no model "name". Available models: vmaf_v0.6.1.',
    "The frame rates differ, and the scaling too.",
    'line 3: rawVideo.frameRate "fast" is not a rate such as "25" or "30000/1001".',
    `--from: "pairs.csv" cannot be used: line 1: "x" isn't a valid column. Valid columns: reference, distorted, idempotencyKey`,
  ])
    assert.equal(inOptions(text), text);
});
