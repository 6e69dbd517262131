/** Pairs whose samples have other ranges or matrices are converted as the request says, at their own depth. */
import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { after, before, describe, test } from "node:test";
import type { PictureRequest } from "../../src/engine/contract/picture.ts";
import { pairRequest } from "../../src/engine/contract/request.ts";
import type { ScoreResult } from "../../src/engine/contract/result.ts";
import { encode, LOSSY, pristine, SCENE } from "../media/clips.ts";
import { picture } from "../media/picture.ts";
import { decode, type Planes, truthOf } from "../media/truth.ts";
import { WAIT_LIMIT_MS } from "../waiting.ts";
import { Fixture, SCORERS, warningCodes } from "./fixture.ts";

const FILM = { ...SCENE, frames: 24 };
const RAW = { width: FILM.width, height: FILM.height, pixelFormat: "yuv420p", frameRate: "25" };
const LUMA = FILM.width * FILM.height;
const CHROMA = LUMA / 4;
const FRAME = LUMA + 2 * CHROMA;
/** The most by which a score may differ where samples were rounded twice. */
const TOLERANCE = 0.5;

type Sample = (value: number, isLuma: boolean) => number;

const legal: Sample = (value, isLuma) => Math.min(isLuma ? 235 : 240, Math.max(16, value));
const toFull: Sample = (value, isLuma) =>
  Math.round(isLuma ? ((value - 16) * 255) / 219 : ((value - 128) * 255) / 224 + 128);

/** Red and blue weights of luma. */
const WEIGHTS = { BT601: [0.299, 0.114], BT709: [0.2126, 0.0722], BT2020: [0.2627, 0.0593] } as const;
type Matrix = keyof typeof WEIGHTS;

describe("colours", () => {
  let fixture: Fixture;
  let reference: string;
  let referencePlanes: Planes;
  /** Within the limits of limited range, so that a conversion to full range and back changes no sample. */
  let limited: Planes;

  before(async () => {
    fixture = await Fixture.open();
    reference = await pristine(fixture.media, "reference.y4m", FILM);
    referencePlanes = await decode(fixture.media, reference, FILM);
    const coded = await encode(fixture.media, "coded.mp4", FILM, LOSSY.h264);
    limited = await each(await decode(fixture.media, coded, FILM), legal);
  });
  after(() => fixture.close());

  /** Changes each sample of planes. */
  async function each(planes: Planes, change: Sample): Promise<Planes> {
    const samples = await readFile(planes.path);
    const changed = samples.map((value, index) =>
      Math.min(255, Math.max(0, change(value, index % FRAME < LUMA))),
    );
    return write(planes, changed);
  }

  let serial = 0;
  async function write(planes: Planes, samples: Uint8Array): Promise<Planes> {
    const path = fixture.media.file(`changed-${serial++}.yuv`);
    await writeFile(path, samples);
    return { ...planes, path };
  }

  /** Converts limited-range planes to another matrix, in floating point. */
  async function rematrix(planes: Planes, from: Matrix, to: Matrix): Promise<Planes> {
    const samples = await readFile(planes.path);
    const changed = new Uint8Array(samples.length);
    const byte = (value: number) => Math.min(255, Math.max(0, Math.round(value)));
    const [kr, kb] = WEIGHTS[from];
    const [r, b] = WEIGHTS[to];
    for (let at = 0; at < samples.length; at += FRAME) {
      const offsets = (chroma: number) => {
        const u = ((samples[at + LUMA + chroma] ?? 0) - 128) / 224;
        const v = ((samples[at + LUMA + CHROMA + chroma] ?? 0) - 128) / 224;
        const [red, blue] = [2 * (1 - kr) * v, 2 * (1 - kb) * u];
        const green = -(kr * red + kb * blue) / (1 - kr - kb);
        const luma = r * red + (1 - r - b) * green + b * blue;
        return { luma, u: (blue - luma) / (2 * (1 - b)), v: (red - luma) / (2 * (1 - r)) };
      };
      for (let chroma = 0; chroma < CHROMA; chroma++) {
        const { luma, u, v } = offsets(chroma);
        changed[at + LUMA + chroma] = byte(u * 224 + 128);
        changed[at + LUMA + CHROMA + chroma] = byte(v * 224 + 128);
        const half = FILM.width / 2;
        const first = at + 2 * Math.floor(chroma / half) * FILM.width + 2 * (chroma % half);
        for (const index of [first, first + 1, first + FILM.width, first + FILM.width + 1])
          changed[index] = byte((samples[index] ?? 0) + luma * 219);
      }
    }
    return write(planes, changed);
  }

  function pairOf(distorted: Planes, request: PictureRequest) {
    return { reference: referencePlanes.path, distorted: distorted.path, rawVideo: RAW, ...request };
  }

  async function score(distorted: Planes, request: PictureRequest): Promise<ScoreResult> {
    const engine = await fixture.engine();
    return engine.score(pairRequest(pairOf(distorted, request)), { timeoutMs: WAIT_LIMIT_MS });
  }

  for (const scorer of SCORERS)
    test(`a full-range video has exactly the scores of the limited-range one, with ${scorer.kind}`, async () => {
      const full = await each(limited, toFull);
      const request = { rangeOf: { distorted: "FULL" } } as const;
      const truth = await truthOf(referencePlanes, limited, { oracle: scorer.oracle });
      const result = await fixture.expectExact(scorer, pairOf(full, request), truth);
      assert.deepEqual(warningCodes(result), ["COLOURS_CONVERTED"]);
      assert.deepEqual(result.colourConversion, { fromRange: "FULL", toRange: "LIMITED" });
      await fixture.expectExactCut(scorer, pairOf(full, request), truth, 9);
    });

  test("a limited-range video against a full-range reference has exactly the scores of the full-range pair", async () => {
    const fullReference = await each(await each(referencePlanes, legal), toFull);
    const truth = await truthOf(fullReference, await each(limited, toFull));
    const request = { rangeOf: { reference: "FULL" } } as const;
    const pair = { ...pairOf(limited, request), reference: fullReference.path };
    await fixture.expectExact(SCORERS[0], pair, truth);
  });

  test("a side that is tagged wrongly is not converted if both have one range", async () => {
    const tagged = ["-color_range", "pc", ...LOSSY.h264];
    const coded = await encode(
      fixture.media,
      "tagged.mp4",
      { ...FILM, filters: "setparams=range=pc" },
      tagged,
    );
    const plain = { reference, distorted: coded };
    const engine = await fixture.engine();
    const asIs = await engine.score(pairRequest(plain));
    assert.deepEqual(warningCodes(asIs), ["COLOR_RANGE_DIFFERS", "RANGE_DIFFERS"]);
    const stated = await engine.score(pairRequest({ ...plain, rangeOf: { distorted: "LIMITED" } }));
    assert.deepEqual([...stated.frames.rows()], [...asIs.frames.rows()]);
    assert.deepEqual(warningCodes(stated), []);
    const converted = await engine.score(pairRequest({ ...plain, rangeOf: { reference: "LIMITED" } }));
    assert.deepEqual(converted.colourConversion, { fromRange: "FULL", toRange: "LIMITED" });
  });

  for (const [from, to] of [
    ["BT601", "BT709"],
    ["BT709", "BT601"],
    ["BT2020", "BT709"],
  ] as const) {
    test(`${from} against ${to} is within ${TOLERANCE} of the clean pair`, async () => {
      const other = await rematrix(limited, to, from);
      const clean = await score(limited, {});
      const asIs = await score(other, {});
      const converted = await score(other, { matrixOf: { reference: to, distorted: from } });
      const error = Math.abs(converted.score - clean.score);
      assert.ok(error <= TOLERANCE, `${converted.score} instead of ${clean.score}; as it is: ${asIs.score}`);
      assert.ok(error < Math.abs(asIs.score - clean.score), "the conversion helps");
      assert.deepEqual(converted.colourConversion, { fromMatrix: from, toMatrix: to });
    });
  }

  test("stills show both sides in the reference's colours", async () => {
    const engine = await fixture.engine();
    const full = await each(limited, toFull);
    const request = pairRequest(pairOf(full, { rangeOf: { distorted: "FULL" } }));
    const planned = await engine.plan(request, { segments: { seconds: 3600 }, timeoutMs: WAIT_LIMIT_MS });
    const parts = planned.segments.map(({ segment }) => ({ segment, frames: [5] }));
    const stills = await engine.stills({ request, plan: planned.plan, parts });
    assert.deepEqual(
      stills.map(({ side }) => side),
      ["reference", "distorted"],
    );
    for (const { side, image } of stills)
      assert.ok((await picture(side === "reference" ? referencePlanes : limited, 5)).equals(image), side);
    const other = { ...request, rangeOf: undefined };
    await assert.rejects(engine.stills({ request: other, plan: planned.plan, parts }), {
      code: "INVALID_REQUEST",
    });
  });

  for (const [what, request, message] of [
    [
      "a range that does not exist",
      { rangeOf: { distorted: "tv" as "FULL" } },
      /^rangeOf\.distorted is tv\. Use/,
    ],
    ["a matrix of one side", { matrixOf: { distorted: "BT601" } }, /^matrixOf names the matrix of one side/],
    [
      "a matrix that does not exist",
      { matrixOf: { reference: "BT709", distorted: "FCC" as "BT601" } },
      /^matrixOf\.distorted is FCC/,
    ],
  ] as const)
    test(`refuse ${what}`, async () => {
      const failure = await fixture.expectFailure(pairOf(limited, request), "INVALID_REQUEST");
      assert.match(failure.message, message);
    });

  test("refuse RGB, and more bits than can be converted", async () => {
    const rgb = await encode(fixture.media, "rgb.mkv", FILM, ["-pix_fmt", "gbrp", ...LOSSY.ffv1]);
    const deep = await encode(fixture.media, "deep.mkv", FILM, ["-pix_fmt", "yuv420p16le", ...LOSSY.ffv1]);
    for (const [distorted, message] of [
      [rgb, /is RGB \(/],
      [deep, /has 16 bits per sample/],
    ] as const) {
      const pair = { reference, distorted, rangeOf: { distorted: "FULL" } } as const;
      assert.match((await fixture.expectFailure(pair, "INVALID_REQUEST")).message, message);
    }
  });
});
