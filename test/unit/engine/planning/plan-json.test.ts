/** Plans and segments may come from malicious tenants: they carry only facts, or are refused. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import type { Repair } from "../../../../src/engine/contract/fix.ts";
import { type PairRequest, pairRequest, SIDES } from "../../../../src/engine/contract/request.ts";
import { sideChain } from "../../../../src/engine/decoding/graph.ts";
import { inputArguments } from "../../../../src/engine/decoding/input.ts";
import type { Track } from "../../../../src/engine/media/track.ts";
import { pair } from "../../../../src/engine/planning/compare.ts";
import { cut, wholeSegment } from "../../../../src/engine/planning/cut.ts";
import { settleCounts } from "../../../../src/engine/planning/frame-counts.ts";
import type { Model } from "../../../../src/engine/planning/models.ts";
import type { Plan } from "../../../../src/engine/planning/plan.ts";
import {
  type PlannedModel,
  readPlan,
  type StoredPlan,
  writePlan,
} from "../../../../src/engine/planning/plan-json.ts";
import type { Segment } from "../../../../src/engine/planning/segment.ts";
import { readSegment, writeSegment } from "../../../../src/engine/planning/segment-json.ts";
import { passesOf } from "../../../../src/engine/scoring/passes.ts";
import type { Run } from "../../../../src/engine/scoring/run.ts";
import { feed, scoreArguments } from "../../../../src/engine/scoring/vmaf-command.ts";
import { Failure } from "../../../../src/platform/failure.ts";
import { model } from "../model-fixture.ts";
import { track } from "../track-fixture.ts";

const SCORER = { program: "ffmpeg", version: "n7.0", libvmafVersion: "3.0.0" } as const;
const FILE = { size: 1000, modifiedMs: 1_700_000_000_000 };
const FILES = { reference: FILE, distorted: { ...FILE, size: 1001 } };
const DIGEST = "ab".repeat(32);

type Over = Parameters<typeof track>[1];

function planOf(reference: Over, distorted: Over, request: Partial<PairRequest> = {}): Plan {
  const asked = pairRequest({ reference: "r", distorted: "d", ...request });
  const tracks = { reference: track("reference", reference), distorted: track("distorted", distorted) };
  const pairing = settleCounts(pair(tracks.reference, tracks.distorted, asked), tracks, asked);
  const cutting = cut(tracks, pairing, { length: 30, subsample: asked.subsample, lookBehind: 1 });
  const models = asked.models.map((name, index) =>
    index === 0 ? model(name) : model(name, { metric: name, file: "/models/studio.json", digest: DIGEST }),
  );
  return { request: asked, tracks, pairing, models, ...cutting };
}

const RAW = { container: "yuv", codec: "rawvideo", samples: "raw", straight: true } as const;
const Y4M = { container: "y4m", codec: "rawvideo", samples: "y4m", straight: true } as const;
const COMMON = { onFrameRateMismatch: "COMMON", onFrameCountMismatch: "COMMON" } as const;

/** Plans of every kind of file, pairing and conversion. */
/** A part of a plan that every version reads as it was written. */
const REPAIR: Repair = {
  fix: {
    offset: -7,
    runs: [{ reference: 7, distorted: 0, count: 80 }],
    crop: { reference: { x: 0, y: 60, width: 1280, height: 600 } },
    mirror: { distorted: "VERTICAL" },
    rangeOf: { distorted: "FULL" },
    matrixOf: { reference: "BT709", distorted: "BT601" },
  },
  findings: [
    {
      ...{ code: "OFFSET", side: "distorted", size: -7, confidence: "certain", evidence: "It is late." },
      ...{ frames: { first: 0, count: 7 }, area: { x: 0, y: 0, width: 2, height: 2 } },
    },
  ],
};

const PLANS: readonly Plan[] = [
  planOf({}, {}),
  planOf(
    { rate: undefined, codec: "", range: "full", transfer: "smpte2084", primaries: "bt2020" },
    { container: "mpegts", hidden: 3 },
  ),
  planOf(Y4M, { pixelFormat: "yuv420p10le", ignoresEditList: true }, { features: ["psnr", "ms_ssim"] }),
  planOf(RAW, { ...RAW, rate: { num: 30000, den: 1001 } }, { subsample: 3 }),
  planOf({ pixelFormat: "gbrp" }, { pixelFormat: "yuvj422p", width: 640, height: 360 }),
  planOf({ width: 720, height: 1280 }, { rotation: 90 }, { models: ["vmaf_v0.6.1neg", "studio"] }),
  planOf({ rate: { num: 50, den: 1 }, times: undefined }, { frames: 50 }, COMMON),
  planOf({}, { frames: 90 }, COMMON),
  planOf({}, { frames: 90 }, { offset: -7, start: 20, duration: 50 }),
  planOf({ rate: { num: 50, den: 1 }, times: undefined }, { frames: 50 }, { ...COMMON, offset: 3 }),
  planOf(
    {},
    {},
    { runs: [5, 40, 60].map((first) => ({ reference: first, distorted: first + 3, count: 12 })) },
  ),
  planOf(
    { width: 720, height: 576, sampleAspect: { num: 16, den: 15 } },
    { width: 480, height: 576, sampleAspect: { num: 8, den: 5 } },
  ),
  planOf({ selfChecking: false }, { selfChecking: false }),
  planOf(
    {},
    { pixelFormat: "p010le" },
    {
      rangeOf: { distorted: "FULL" },
      matrixOf: { reference: "BT709", distorted: "BT601" },
    },
  ),
  planOf(
    {},
    { width: 640, height: 480 },
    {
      crop: {
        reference: { x: 0, y: 60, width: 1280, height: 600 },
        distorted: { x: 0, y: 90, width: 640, height: 300 },
      },
      mirror: { reference: "BOTH", distorted: "HORIZONTAL" },
    },
  ),
  { ...planOf({}, { frames: 90 }, { offset: -7 }), repair: REPAIR },
  {
    ...planOf({}, {}),
    models: [
      model("vmaf_v0.6.1"),
      model("vmaf_v1.0.16_3d0h", {
        ...{ asked: "v1", metric: "v1", reason: "HD, because the reference has 720 lines (4K from 1800)" },
        encode: { width: 640, height: 360, bitDepth: 8 },
      }),
    ],
  },
];

function planned({ name, digest, asked, metric, reason, encode }: Model): PlannedModel {
  return { name, digest, asked, metric, reason, encode };
}

/** The content of a plan after reading it, without what only planning needs. */
function facts({ request, tracks, pairing, models, whole, repair, streamSegments }: Plan): StoredPlan {
  const unused = { times: undefined, uncuttable: undefined, straight: false, warnings: [] };
  return {
    scorer: SCORER,
    models: models.map(planned),
    files: FILES,
    features: request.features,
    subsample: request.subsample,
    tracks: { reference: { ...tracks.reference, ...unused }, distorted: { ...tracks.distorted, ...unused } },
    pairing,
    whole,
    repair,
    streamSegments,
  };
}

/** Returns every word of every command for a plan's segment: of both scorers, with each side direct and decoded. */
function wordsOf(plan: StoredPlan, segment: Segment): string[] {
  const straight = ({ samples, ...rest }: Track): Track => ({
    ...rest,
    samples,
    straight: samples !== undefined,
  });
  const run = {
    sources: {
      reference: { side: "reference", extension: "mp4" },
      distorted: { side: "distorted", extension: "" },
    },
    tracks: { reference: straight(plan.tracks.reference), distorted: straight(plan.tracks.distorted) },
    pairing: plan.pairing,
    segment,
    models: plan.models.map((one) => ({ ...one, file: one.digest === "" ? undefined : "/m.json" })),
    features: plan.features,
    subsample: plan.subsample,
    threads: 2,
  } as unknown as Run;
  const passes = passesOf(run).map((pass) => {
    const feeds = { reference: feed(run, pass, "reference"), distorted: feed(run, pass, "distorted") };
    return [...scoreArguments(run, pass, feeds), ...SIDES.flatMap((side) => feeds[side].decoder ?? [])];
  });
  const ranges = SIDES.map((side) => sideChain(run.tracks[side], run.pairing, segment));
  const words = [...SIDES.flatMap((side) => inputArguments(run, side)), ...ranges, ...passes.flat()];
  return words.flatMap((word) => word.match(/[A-Za-z_\u0080-\uffff]+|[^A-Za-z_\s\d]|\s|\d+/g) ?? []);
}

const HONEST = new Set(PLANS.flatMap((plan) => plan.segments.flatMap((one) => wordsOf(facts(plan), one))));

/** Accepts names of pixel formats and models, numbers, and words that also occur in commands of valid plans. */
function isOurs(word: string, plan: StoredPlan): boolean {
  if (/^\d+$/.test(word) || HONEST.has(word)) return true;
  const formats = SIDES.map((side) => plan.tracks[side].pixels.name);
  const named = [...formats, ...plan.models.map(({ name }) => name), plan.pairing.format];
  return /^[a-z_.A-Z-]+$/.test(word) && named.some((name) => name.includes(word));
}

/** Reads a text; returns undefined if it was refused, and checks the form of the refusal. */
function readOrRefused<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (thrown) {
    assert.ok(thrown instanceof Failure, String(thrown));
    assert.ok(["INVALID_REQUEST", "SCORER_FAILED"].includes(thrown.code), thrown.code);
    assert.match(thrown.message, /^The (plan|segment) [^\n]{10,300}$/);
    return undefined;
  }
}

const HOSTILE: readonly unknown[] = [
  ...["", "-i", "-f", "lavfi", "/etc/passwd", "file:/etc/passwd", "concat:a|b", "yuv420p,movie=/etc/passwd"],
  ...[
    "yuv420p\n-y",
    "__proto__",
    "constructor",
    "a\u0000b",
    "\ud800",
    "%s",
    "'",
    "\\",
    "]",
    "1e9",
    "NaN",
    "x".repeat(3e4),
  ],
  ...[0, -0, -1, 0.5, 1, 2, 3, 7, 90, 91, 1e9, 1e12, 1e21, 1e300, -1e300, 2 ** 31, 2 ** 53, 5e-324],
  ...[
    null,
    true,
    false,
    [],
    {},
    [null],
    ["-i"],
    [["-i"]],
    { num: 1, den: 0 },
    { side: "reference", every: 1.5 },
  ],
];

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** Returns the path of keys to every place in a JSON value. */
function places(value: Json, path: readonly string[] = []): (readonly string[])[] {
  const inner = typeof value === "object" && value !== null ? Object.entries(value) : [];
  return [path, ...inner.flatMap(([key, item]) => places(item, [...path, key]))];
}

interface Change {
  readonly place: number;
  readonly kind: "replace" | "remove" | "add" | "copy";
  readonly value: unknown;
  readonly from: number;
}

function changed(text: string, changes: readonly Change[]): string {
  const root = { plan: JSON.parse(text) as Json };
  for (const { place, kind, value, from } of changes) {
    const all = places(root.plan, ["plan"]);
    const path = all[place % all.length] ?? [];
    const parent = at(root, path.slice(0, -1)) as Record<string, Json>;
    const key = path.at(-1) ?? "";
    const given = structuredClone(kind === "copy" ? at(root, all[from % all.length] ?? []) : value) as Json;
    if (kind === "remove") delete parent[key];
    else parent[kind === "add" ? `${key}2` : key] = given;
    if (root.plan === undefined) return "";
  }
  return JSON.stringify(root.plan);
}

function at(root: Json, path: readonly string[]): Json {
  return path.reduce<Json>((value, key) => (value as Record<string, Json>)[key] ?? null, root);
}

const changes = fc.array(
  fc.record({
    place: fc.nat(),
    kind: fc.constantFrom(
      "replace" as const,
      "replace" as const,
      "remove" as const,
      "add" as const,
      "copy" as const,
    ),
    value: fc.oneof(
      { weight: 4, arbitrary: fc.constantFrom(...HOSTILE) },
      fc.string(),
      fc.double(),
      fc.jsonValue(),
    ),
    from: fc.nat(),
  }),
  { minLength: 1, maxLength: 3 },
);

describe("plans and segments as JSON", () => {
  test("contain everything that scoring needs, but no path and no option", () => {
    for (const plan of PLANS) {
      const text = writePlan(plan, FILES, SCORER);
      assert.deepEqual(readPlan(text), facts(plan));
      assert.ok(!text.includes("studio.json"));
      for (const segment of plan.segments) {
        const read = readSegment(writeSegment(segment));
        // The arguments of the scorer are identical.
        assert.deepEqual(wordsOf(facts(plan), read), wordsOf(facts(plan), segment));
        assert.deepEqual(readSegment(writeSegment(read)), read);
      }
      const whole = wholeSegment(plan.pairing);
      assert.deepEqual(readSegment(writeSegment(whole)), whole);
    }
  });

  test("are refused if a change of the plan would add a foreign word to a command", () => {
    let accepted = 0;
    fc.assert(
      fc.property(fc.constantFrom(...PLANS), changes, fc.nat(), (plan, edits, segment) => {
        const text = changed(writePlan(plan, FILES, SCORER), edits);
        const read = readOrRefused(() => readPlan(text));
        if (read === undefined) return;
        accepted++;
        const one = plan.segments[segment % plan.segments.length] ?? wholeSegment(plan.pairing);
        for (const word of wordsOf(read, one)) assert.ok(isOurs(word, read), `${word} of ${text}`);
        const { width, height, frameCount } = read.pairing;
        assert.ok(width * height <= 8192 * 4320 && frameCount <= 120 * 86_400);
      }),
      { numRuns: 4000 },
    );
    assert.ok(accepted > 20, `${accepted} harmless changes were accepted`);
  });

  test("are refused if a change of the segment would add a foreign word to a command", () => {
    const [plan] = PLANS as [Plan];
    const segments = plan.segments.map(writeSegment);
    fc.assert(
      fc.property(fc.constantFrom(...segments), changes, (segment, edits) => {
        const read = readOrRefused(() => readSegment(changed(segment, edits)));
        if (read === undefined) return;
        for (const word of wordsOf(facts(plan), read)) assert.ok(isOurs(word, facts(plan)), word);
        assert.ok(read.before <= read.first && read.first + read.count + read.after <= 120 * 86_400);
      }),
      { numRuns: 3000 },
    );
  });

  test("of version 4, without runs, are read", () => {
    for (const plan of PLANS.filter(({ pairing }) => pairing.runs === undefined)) {
      const text = writePlan(plan, FILES, SCORER);
      assert.deepEqual(readPlan(text.replace('{"version":6,', '{"version":4,')), readPlan(text));
    }
  });

  test("of version 5, without encoders, are read, and an encoder has no control characters", () => {
    for (const plan of PLANS) {
      const text = writePlan(plan, FILES, SCORER);
      const older = text.replaceAll(/"encoder":"[^"]*",/g, "").replace('{"version":6,', '{"version":5,');
      const { tracks } = readPlan(older);
      assert.deepEqual([tracks.reference.encoder, tracks.distorted.encoder], [undefined, undefined]);
    }
    const text = writePlan(PLANS[0] ?? assert.fail(), FILES, SCORER);
    for (const encoder of ["", "x\\n", "x".repeat(101)]) {
      const other = text.replaceAll(/"encoder":"[^"]*"/g, `"encoder":"${encoder}"`);
      assert.notEqual(other, text);
      assert.throws(() => readPlan(other), /encoder is not a text of the required form/);
    }
  });

  test("with 10,000 runs of the largest numbers are read back", () => {
    const first = 24 * 3600 * 120 - 20_000;
    const runs = Array.from({ length: 10_000 }, (_, run) => ({
      reference: first + 2 * run,
      distorted: first + 2 * run,
      count: 1,
    }));
    const [plan] = PLANS;
    assert.ok(plan !== undefined);
    const written = writePlan({ ...plan, pairing: { ...plan.pairing, runs } }, FILES, SCORER);
    assert.deepEqual(readPlan(written).pairing.runs, runs);
  });

  test("are refused if their runs are incomplete or have no frames", () => {
    const [plan] = PLANS;
    assert.ok(plan !== undefined);
    const runs = [{ reference: 1, distorted: 2, count: 77 }];
    const written = writePlan({ ...plan, pairing: { ...plan.pairing, runs } }, FILES, SCORER);
    for (const wrong of ["[1,2,0]", "[1,2]", "[1]", "[]", "[1,2,77,5]", "[-1,2,77]", "[1,2,7.5]"])
      assert.throws(() => readPlan(written.replace("[1,2,77]", wrong)), Failure, wrong);
  });

  test("have the segments of a stream, in ascending order", () => {
    const [plan] = PLANS;
    assert.ok(plan !== undefined);
    const written = writePlan({ ...plan, streamSegments: [0, 50, 77] }, FILES, SCORER);
    assert.deepEqual(readPlan(written).streamSegments, [0, 50, 77]);
    for (const wrong of ["[0,77,50]", "[0,0]", "[-1,5]", "[0.5]", "{}"])
      assert.throws(() => readPlan(written.replace("[0,50,77]", wrong)), Failure, wrong);
  });

  test("are refused if the text is not JSON or far too long", () => {
    fc.assert(
      fc.property(fc.string(), (text) =>
        assert.equal(
          readOrRefused(() => readPlan(text)),
          undefined,
        ),
      ),
    );
    const long = `{"version":3,"whole":"${"x".repeat(2 ** 20)}"}`;
    for (const text of ["", "null", "[]", "{}", '{"version":3,}', long, "[".repeat(100_000)]) {
      assert.equal(
        readOrRefused(() => readPlan(text)),
        undefined,
      );
      assert.equal(
        readOrRefused(() => readSegment(text)),
        undefined,
      );
    }
  });
});
