import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { pairRequest } from "../../../../src/engine/contract/request.ts";
import type { Track } from "../../../../src/engine/media/track.ts";
import { pair } from "../../../../src/engine/planning/compare.ts";
import { settleCounts } from "../../../../src/engine/planning/frame-counts.ts";
import { Failure } from "../../../../src/platform/failure.ts";
import { times, track } from "../track-fixture.ts";

const request = (over = {}) => pairRequest({ reference: "r", distorted: "d", ...over });
const pairing = (
  reference: Partial<Track> & { pixelFormat?: string } = {},
  distorted: Partial<Track> & { pixelFormat?: string } = {},
  over = {},
) => pair(track("reference", reference), track("distorted", distorted), request(over));
const refused = (code: string) => (error: unknown) => error instanceof Failure && error.code === code;
const thrownBy = (run: () => unknown): Failure => {
  try {
    run();
  } catch (thrown) {
    return Failure.from(thrown);
  }
  return assert.fail("the pair was accepted");
};
const codes = (result: { warnings: readonly { code: string }[] }) => result.warnings.map(({ code }) => code);
const messages = (result: { warnings: readonly { message: string }[] }) =>
  result.warnings.map(({ message }) => message);

test("pairs equal tracks without changes or warnings", () => {
  const { width, height, format, scaling, thin, turn, frameCount, warnings } = pairing();
  assert.deepEqual(
    { width, height, format, scaling, thin, turn, frameCount, warnings },
    {
      width: 1280,
      height: 720,
      format: "yuv420p",
      scaling: undefined,
      thin: undefined,
      turn: [],
      frameCount: 100,
      warnings: [],
    },
  );
});

describe("sizes", () => {
  test("scales the distorted side to the reference, with a warning", () => {
    const result = pairing({}, { width: 640, height: 360 });
    assert.deepEqual(result.scaling, {
      ...{ fromWidth: 640, fromHeight: 360, toWidth: 1280, toHeight: 720 },
      algorithm: "bicubic",
    });
    assert.deepEqual(codes(result), ["SCALED"]);
    assert.doesNotMatch(result.warnings[0]?.message ?? "", /stretched/);
  });
  test("warns that a video of another shape was stretched", () => {
    assert.match(pairing({}, { width: 640, height: 480 }).warnings[0]?.message ?? "", /stretched/);
  });
  test("refuses different sizes with REFUSE", () => {
    assert.throws(
      () => pairing({}, { width: 640, height: 360 }, { scaling: "REFUSE" }),
      refused("FRAME_SIZE_MISMATCH"),
    );
    const { found } = thrownBy(() => pairing({}, { width: 640, height: 360 }, { scaling: "REFUSE" }));
    assert.deepEqual(found?.["remedy"], { option: "scaling", value: "AUTO" });
  });
  test("never scales portrait to landscape", () => {
    assert.throws(() => pairing({}, { width: 720, height: 1280 }), refused("ORIENTATION_MISMATCH"));
  });
});

describe("displayed shapes", () => {
  const sized = (width: number, height: number, aspect?: readonly [number, number]): Partial<Track> => ({
    width,
    height,
    sampleAspect: aspect && { num: aspect[0], den: aspect[1] },
  });
  const PAL = sized(720, 576, [16, 15]);
  for (const [reference, distorted] of [
    [PAL, sized(480, 576, [8, 5])],
    [PAL, sized(352, 576, [24, 11])],
    [PAL, sized(768, 576, [1, 1])],
    // Samples of 12:11 and of 16:15 are used for the same picture.
    [sized(720, 576, [12, 11]), sized(480, 576, [8, 5])],
    [sized(1440, 1080, [4, 3]), sized(1920, 1080, [1, 1])],
    [sized(1920, 1080, [1, 1]), sized(720, 480, [32, 27])],
  ] as const) {
    test(`${JSON.stringify([reference, distorted])} have the same shape`, () => {
      for (const [one, other] of [
        [reference, distorted],
        [distorted, reference],
      ] as const) {
        const result = pairing(one, other);
        assert.deepEqual(codes(result), ["SCALED"]);
        assert.doesNotMatch(result.warnings[0]?.message ?? "", /stretched/);
      }
    });
  }
  test("accepts a side without aspect ratio, and warns that it may be stretched", () => {
    for (const [reference, distorted] of [
      [sized(720, 576), sized(1024, 576, [1, 1])],
      [PAL, sized(352, 576)],
      [sized(480, 576), PAL],
      [sized(480, 576), sized(720, 576)],
    ] as const) {
      const result = pairing(reference, distorted);
      assert.deepEqual(codes(result), ["SCALED"]);
      assert.match(messages(result)[0] ?? "", /stretched, unless .* is anamorphic\.$/);
    }
  });
  test("warns of stretching if both sides state different shapes", () => {
    const [message] = messages(pairing(PAL, sized(960, 576, [1, 1])));
    assert.match(message ?? "", /The two have different shapes: the distorted video was stretched\.$/);
  });
  test("refuses portrait with landscape for every sample aspect ratio", () => {
    for (const upright of [sized(576, 720, [15, 16]), sized(720, 1280), sized(576, 768, [1, 1])]) {
      assert.throws(() => pairing(PAL, upright), refused("ORIENTATION_MISMATCH"));
      assert.throws(() => pairing(upright, PAL), refused("ORIENTATION_MISMATCH"));
    }
  });
  test("does not take a wrong aspect ratio in a header for another orientation", () => {
    const result = pairing(sized(1920, 1080, [1, 1]), sized(1280, 720, [1, 2]));
    assert.match(messages(result)[0] ?? "", /stretched\.$/);
  });
  test("warns of equal sizes in different shapes if both sides state them", () => {
    assert.deepEqual(messages(pairing(PAL, sized(720, 576, [64, 45]))), [
      "The reference is 720x576 with samples of 16:15 and the distorted video 720x576 with samples of 64:45, which players display in different shapes; their samples were compared as they are.",
    ]);
    assert.deepEqual(codes(pairing(PAL, sized(720, 576))), []);
    assert.deepEqual(codes(pairing(PAL, sized(720, 576, [12, 11]))), []);
  });
  test("swaps the sides of the sample aspect ratio on rotation", () => {
    const upright = { ...sized(1080, 1440, [3, 4]) };
    const result = pairing({ ...sized(1440, 1080, [4, 3]), rotation: 90 }, upright);
    assert.deepEqual([result.turn, codes(result)], [["reference"], ["ROTATED"]]);
    const anamorphic = { ...sized(480, 576, [8, 5]), rotation: 180 };
    assert.deepEqual(codes(pairing(PAL, anamorphic)), ["ROTATION_DIFFERS", "SCALED"]);
  });
});

describe("frames too small for the metrics", () => {
  for (const [width, height] of [
    [32, 180],
    [320, 32],
    [1, 1],
  ] as const) {
    test(`refuses ${width}x${height}`, () => {
      assert.throws(() => pairing({ width, height }, { width, height }), refused("FRAME_TOO_SMALL"));
    });
  }
  test("accepts 33x33, and a small encode of a larger reference", () => {
    assert.equal(pairing({ width: 33, height: 33 }, { width: 33, height: 33 }).width, 33);
    assert.equal(pairing({ width: 320, height: 180 }, { width: 32, height: 18 }).width, 320);
  });
});

describe("rotation", () => {
  test("rotates nothing if both sides have the same rotation", () => {
    assert.deepEqual(pairing({ rotation: 90 }, { rotation: 90 }).turn, []);
  });
  test("warns if only one side is tagged with a rotation", () => {
    const result = pairing({ rotation: 90 }, {});
    assert.deepEqual([result.turn, codes(result)], [[], ["ROTATION_DIFFERS"]]);
  });
  test("rotates a tagged original to match an encode that was rotated before coding", () => {
    const result = pairing({ rotation: 90 }, { width: 720, height: 1280 });
    assert.deepEqual([result.turn, result.width, result.height], [["reference"], 720, 1280]);
    assert.equal(result.scaling, undefined);
  });
});

describe("frame rates", () => {
  const at = (num: number, den = 1): Partial<Track> => ({
    rate: { num, den },
    times: times(100, num / den, 25),
  });
  test("refuses 24 with 23.976", () => {
    assert.throws(
      () => pairing(at(24), { ...at(24000, 1001), times: undefined }),
      refused("FRAME_RATE_MISMATCH"),
    );
  });
  test("accepts rates that differ only by rounded timestamps", () => {
    assert.deepEqual(
      pairing(at(30000, 1001), { ...at(30000, 1001), rate: { num: 2997, den: 100 } }).warnings,
      [],
    );
  });
  test("does not compare an unknown rate", () => {
    assert.deepEqual(pairing(at(50), { rate: undefined }).warnings, []);
  });
  test("scores every second frame of twice the rate with COMMON", () => {
    const result = pairing({ ...at(50), frames: 200 }, at(25), { onFrameRateMismatch: "COMMON" });
    assert.deepEqual(result.thin, { side: "reference", every: 2 });
    assert.deepEqual(result.counts, { reference: 100, distorted: 100 });
    assert.deepEqual(codes(result), ["FRAME_RATE_MISMATCH"]);
  });
  for (const [fast, every] of [
    [50, 2],
    [75, 3],
  ] as const) {
    test(`reports which frames COMMON scored if one rate is ${every} times the other`, () => {
      for (const [side, result] of [
        ["reference", pairing(at(fast), at(25), { onFrameRateMismatch: "COMMON" })],
        ["distorted", pairing(at(25), at(fast), { onFrameRateMismatch: "COMMON" })],
      ] as const) {
        const [reference, distorted] = side === "reference" ? [fast, 25] : [25, fast];
        assert.deepEqual(messages(result), [
          `The reference runs at ${reference} fps and the distorted video at ${distorted} fps; one frame in ${every} of the ${side} was scored, as requested.`,
        ]);
      }
    });
  }
  test("suggests COMMON with its condition only if the counts match", () => {
    const refusal = (reference: Partial<Track>, distorted: Partial<Track>, policy = "REFUSE") =>
      thrownBy(() => pairing(reference, distorted, { onFrameRateMismatch: policy }));
    const option = { option: "onFrameRateMismatch", value: "COMMON" };
    const pace = refusal(at(24), at(25));
    const same = "both have the same frames at different speeds";
    assert.deepEqual(pace.found?.["remedy"], { ...option, onlyIf: same });
    assert.match(pace.message, new RegExp(`If ${same}, set onFrameRateMismatch to COMMON`));
    const half = refusal({ ...at(50), frames: 200 }, at(25));
    const second = "the distorted video consists of every second frame of the reference, from its first on";
    assert.deepEqual(half.found?.["remedy"], { ...option, onlyIf: second });
    const thrice = refusal(at(25), { ...at(75), frames: 299 });
    const third = "the reference consists of every third frame of the distorted video, from its first on";
    assert.deepEqual(thrice.found?.["remedy"], { ...option, onlyIf: third });
    for (const [none, message] of [
      [refusal({ ...at(25), frames: 96 }, at(24)), /96 frames .* 100: it is not known/],
      [refusal({ ...at(50), frames: 198 }, at(25)), /198 frames .* 100, and every second .* makes 99/],
      [refusal(at(24), at(30)), /no frames in common/],
      [refusal(at(24), at(30), "COMMON"), /no frames in common/],
    ] as const) {
      assert.equal(none.code, "FRAME_RATE_MISMATCH");
      assert.match(none.message, message);
      assert.equal(none.found?.["remedy"], undefined);
      assert.doesNotMatch(none.message, /onFrameRateMismatch/);
    }
  });
  test("pairs by number with COMMON if only the speed differs", () => {
    assert.equal(pairing(at(24), at(25), { onFrameRateMismatch: "COMMON" }).thin, undefined);
  });
  test("refuses rates without common frames even with COMMON", () => {
    assert.throws(
      () => pairing(at(24), at(30), { onFrameRateMismatch: "COMMON" }),
      refused("FRAME_RATE_MISMATCH"),
    );
  });
});

describe("frame counts", () => {
  const settle = (policy: "REFUSE" | "COMMON", frames = 90) => {
    const tracks = { reference: track("reference"), distorted: track("distorted", { frames }) };
    const asked = request({ onFrameCountMismatch: policy });
    return settleCounts(pair(tracks.reference, tracks.distorted, asked), tracks, asked);
  };
  test("refuses different counts, and reports both", () => {
    assert.throws(
      () => settle("REFUSE"),
      (error) => refused("FRAME_COUNT_MISMATCH")(error) && /100 frames.* 90 frames/.test(String(error)),
    );
  });
  test("scores the first frames of both with COMMON, with a warning", () => {
    const result = settle("COMMON");
    assert.equal(result.frameCount, 90);
    assert.deepEqual(codes(result), ["FRAME_COUNT_MISMATCH"]);
  });
  test("writes 1 frame in the singular", () => {
    assert.deepEqual(messages(settle("COMMON", 1)), [
      "The reference has 100 frames and the distorted video 1 frame; as requested, the score covers only the first 1 frame of each. That is right only if the missing frames are the last ones.",
    ]);
    assert.throws(() => settle("REFUSE", 1), /100 frames and the distorted video 1 frame, so/);
  });
});

describe("samples", () => {
  for (const [reference, distorted, format, warning] of [
    ["yuv420p", "yuv420p10le", "yuv420p10le", "BIT_DEPTH_DIFFERS"],
    ["yuv422p12le", "yuv422p", "yuv422p12le", "BIT_DEPTH_DIFFERS"],
    ["yuv420p", "yuv444p", "yuv420p", "PIXEL_FORMAT_CONVERTED"],
    ["gbrp", "yuv444p", "yuv444p", "PIXEL_FORMAT_CONVERTED"],
    ["yuvj420p", "yuv420p", "yuv420p", "COLOR_RANGE_DIFFERS"],
    ["yuvj420p", "yuvj420p", "yuv420p", undefined],
    ["nv12", "p010le", "yuv420p10le", "BIT_DEPTH_DIFFERS"],
  ] as const) {
    test(`compares ${reference} with ${distorted} as ${format}`, () => {
      const result = pair(
        track("reference", { pixelFormat: reference }),
        track("distorted", { pixelFormat: distorted }),
        request(),
      );
      assert.equal(result.format, format);
      assert.deepEqual(codes(result), warning ? [warning] : []);
    });
  }
  for (const [reference, distorted, differ] of [
    [{ range: "full" }, { range: "limited" }, true],
    [{ range: "full" }, { range: "" }, true],
    [{ range: "" }, { range: "full" }, true],
    [{ range: "" }, { range: "limited" }, false],
    [{ range: "" }, { range: "" }, false],
    [{ range: "full" }, { range: "full" }, false],
    [{ range: "full" }, { range: "", pixelFormat: "yuvj420p" }, false],
    [{ range: "limited" }, { range: "", pixelFormat: "yuvj420p" }, true],
    // RGB is always converted to limited range before the comparison.
    [{ range: "full", pixelFormat: "gbrp" }, { range: "", pixelFormat: "yuv444p" }, false],
    [{ range: "", pixelFormat: "gbrp" }, { range: "full", pixelFormat: "yuv444p" }, true],
  ] as const) {
    const text = [reference, distorted].map((side) => JSON.stringify(side)).join(" against ");
    test(`${differ ? "warns" : "does not warn"} of different ranges: ${text}`, () => {
      const warned = codes(pairing(reference, distorted)).includes("COLOR_RANGE_DIFFERS");
      assert.equal(warned, differ);
    });
  }
  test("names both ranges, and the condition for a correct score", () => {
    assert.deepEqual(messages(pairing({ range: "" }, { range: "full" })), [
      "The reference states no range (which means limited range) and the distorted video is tagged full range; their samples were compared as they are. The score is right only if one of them is mistagged; otherwise set rangeOf to say what the samples of each side are.",
    ]);
  });
});
