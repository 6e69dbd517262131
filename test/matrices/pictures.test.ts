/** Cropped and mirrored pairs have the digits of the pair whose pictures were cropped and mirrored before. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Area, PictureRequest } from "../../src/engine/contract/picture.ts";
import { pairRequest } from "../../src/engine/contract/request.ts";
import { Fixture, SCORERS, warningCodes } from "../engine/fixture.ts";
import { encode, LOSSY, pristine, SCENE } from "../media/clips.ts";
import { picture } from "../media/picture.ts";
import { decode, type Planes, scale, truthOf, turn } from "../media/truth.ts";
import { WAIT_LIMIT_MS } from "../waiting.ts";

const FILM = { ...SCENE, width: 256, height: 144, frames: 40 };
const AREA: Area = { x: 16, y: 12, width: 200, height: 100 };
const SMALL: Area = { x: 2, y: 6, width: 100, height: 50 };
const FLIPS = { HORIZONTAL: "hflip", VERTICAL: "vflip", BOTH: "hflip,vflip" } as const;

/** Changes a side in a step of its own. */
function changed(planes: Planes, area: Area | undefined, flip?: keyof typeof FLIPS): Promise<Planes> {
  const { x, y, width, height } = area ?? { x: 0, y: 0, ...planes };
  const filters = [`crop=${width}:${height}:${x}:${y}:exact=1`, ...(flip ? [FLIPS[flip]] : [])];
  return turn(planes, filters.join(","), { width, height });
}

for (const scorer of SCORERS) {
  describe(`pictures, with ${scorer.kind}`, () => {
    let fixture: Fixture;
    let pair: Readonly<Record<"reference" | "distorted", string>>;
    let planes: Readonly<Record<"reference" | "distorted", Planes>>;
    const { oracle } = scorer;

    before(async () => {
      fixture = await Fixture.open();
      pair = {
        reference: await pristine(fixture.media, "reference.y4m", FILM),
        distorted: await encode(fixture.media, "coded.mp4", FILM, LOSSY.h264),
      };
      planes = {
        reference: await decode(fixture.media, pair.reference, FILM),
        distorted: await decode(fixture.media, pair.distorted, FILM),
      };
    });
    after(() => fixture.close());

    async function exact(request: PictureRequest, scaled = false): Promise<void> {
      const { crop = {}, mirror = {} } = request;
      const reference = await changed(planes.reference, crop.reference, mirror.reference);
      const own = await changed(planes.distorted, crop.distorted, mirror.distorted);
      const distorted = scaled ? await scale(own, reference) : own;
      const truth = await truthOf(reference, distorted, { oracle });
      // Parts of one side alone show something else.
      const asked = { ...pair, ...request, findings: { action: "WARN" } } as const;
      const whole = await fixture.expectExact(scorer, asked, truth);
      await fixture.expectExactCut(scorer, asked, truth, 12);
      assert.deepEqual([whole.crop, whole.mirror], [request.crop, request.mirror]);
      assert.deepEqual([whole.reference.width, whole.distorted.width], [FILM.width, FILM.width]);
    }

    test("cropped on both sides", () => exact({ crop: { reference: AREA, distorted: AREA } }));

    test("cropped on one side, and scaled from or to the part", async () => {
      await exact({ crop: { reference: AREA } }, true);
      await exact({ crop: { distorted: SMALL } }, true);
      await exact({ crop: { reference: AREA, distorted: SMALL } }, true);
    });

    for (const direction of ["HORIZONTAL", "VERTICAL", "BOTH"] as const)
      test(`mirrored: ${direction}`, async () => {
        await exact({ mirror: { distorted: direction } });
        await exact({ crop: { reference: AREA, distorted: AREA }, mirror: { reference: direction } });
      });

    test("cropped and mirrored headerless files", async () => {
      const rawVideo = { width: FILM.width, height: FILM.height, pixelFormat: "yuv420p", frameRate: "25" };
      const raw = { reference: planes.reference.path, distorted: planes.distorted.path, rawVideo };
      const request = { crop: { reference: AREA, distorted: AREA }, mirror: { distorted: "BOTH" } } as const;
      const truth = await truthOf(
        await changed(planes.reference, AREA),
        await changed(planes.distorted, AREA, "BOTH"),
        { oracle },
      );
      await fixture.expectExact(scorer, { ...raw, ...request }, truth);
    });
  });
}

describe("pictures", () => {
  let fixture: Fixture;
  let reference: string;
  let distorted: string;

  before(async () => {
    fixture = await Fixture.open();
    reference = await pristine(fixture.media, "reference.y4m", FILM);
    distorted = await encode(fixture.media, "coded.mp4", FILM, LOSSY.h264);
  });
  after(() => fixture.close());

  test("have stills of the part that was compared", async () => {
    const engine = await fixture.engine();
    const crop = { reference: AREA, distorted: AREA };
    const request = pairRequest({ reference, distorted, crop, mirror: { distorted: "VERTICAL" } });
    const planned = await engine.plan(request, { segments: { seconds: 3600 }, timeoutMs: WAIT_LIMIT_MS });
    const parts = planned.segments.map(({ segment }) => ({ segment, frames: [7] }));
    const stills = await engine.stills({ request, plan: planned.plan, parts });
    const sides = {
      reference: await changed(await decode(fixture.media, reference, FILM), AREA),
      distorted: await changed(await decode(fixture.media, distorted, FILM), AREA, "VERTICAL"),
    };
    assert.equal(stills.length, 2);
    for (const { side, image } of stills) assert.ok((await picture(sides[side], 7)).equals(image), side);
    const plain = pairRequest({ reference, distorted, crop: { reference: AREA } });
    await assert.rejects(engine.stills({ request: plain, plan: planned.plan, parts }), {
      code: "INVALID_REQUEST",
    });
  });

  test("state in warnings what was compared", async () => {
    const engine = await fixture.engine();
    const crop = { distorted: SMALL };
    const result = await engine.score(
      pairRequest({
        ...{ reference, distorted, crop, mirror: { reference: "BOTH" } },
        findings: { action: "IGNORE" },
      }),
    );
    assert.deepEqual(warningCodes(result), ["CROPPED", "MIRRORED", "SCALED"]);
    assert.deepEqual([result.scaling?.fromWidth, result.scaling?.toWidth], [100, 256]);
  });

  for (const [what, area, message] of [
    ["an area outside of the picture", { ...AREA, x: 58 }, /200x100\+58\+12, but .* are 256x144\. Give/],
    ["an odd column", { ...AREA, x: 1 }, /has x 1, but yuv420p has .* Use a multiple of 2\.$/],
    ["an odd height", { ...AREA, height: 99 }, /has height 99, but yuv420p/],
    ["no width", { ...AREA, width: 0 }, /crop\.distorted is 0x100\+16\+12\. Use whole/],
    ["a negative position", { ...AREA, y: -2 }, /Use whole numbers/],
    ["half a sample", { ...AREA, y: 2.5 }, /Use whole numbers/],
    ["a size that is no number", { ...AREA, width: Number.NaN }, /Use whole numbers/],
    ["a size beyond all pictures", { ...AREA, width: 2 ** 40 }, /Use whole numbers/],
  ] as const)
    test(`refuse ${what}`, async () => {
      const pair = { reference, distorted, crop: { distorted: area } };
      assert.match((await fixture.expectFailure(pair, "INVALID_REQUEST")).message, message);
    });

  test("refuse a part that is too small to be scored, or a direction that does not exist", async () => {
    const tiny = { crop: { reference: { ...AREA, width: 32 } } };
    await fixture.expectFailure({ reference, distorted, ...tiny }, "FRAME_TOO_SMALL");
    const mirror = { distorted: "DIAGONAL" as "BOTH" };
    await fixture.expectFailure({ reference, distorted, mirror }, "INVALID_REQUEST");
  });

  test("crop every second column of 4:2:2, and any of 4:4:4", async () => {
    const engine = await fixture.engine();
    for (const [pixels, y, works] of [
      ["yuv422p", 11, true],
      ["yuv444p", 11, true],
      ["yuv420p", 11, false],
    ] as const) {
      const file = await pristine(fixture.media, `${pixels}.y4m`, { ...FILM, frames: 3, pixels });
      const pair = { reference: file, distorted: file, crop: { reference: { ...AREA, y } } };
      if (works) assert.equal((await engine.score(pairRequest(pair))).frameCount, 3);
      else await fixture.expectFailure(pair, "INVALID_REQUEST");
    }
  });
});
