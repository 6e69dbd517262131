/** Transfer functions and primaries of both videos, by their tags and by what the samples show. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Finding } from "../../../../src/engine/contract/finding.ts";
import { hdrFindings, modelSizeFindings } from "../../../../src/engine/doctor/fitness.ts";
import { blockMeansOf } from "../../../../src/engine/doctor/samples/block-means.ts";
import { type Tones, tonesOf } from "../../../../src/engine/doctor/samples/tones.ts";
import { IDENTITY } from "../../../../src/engine/doctor/space/view.ts";
import { primariesFindings, transferFindings } from "../../../../src/engine/doctor/tags.ts";
import type { Track } from "../../../../src/engine/media/track.ts";
import { random } from "../../random.ts";
import { track } from "../track-fixture.ts";
import { pictures, waves } from "./scene.ts";

const tracks = (reference: Partial<Track>, distorted: Partial<Track>) => ({
  reference: track("reference", reference),
  distorted: track("distorted", distorted),
});
const transfers = (reference: string | undefined, distorted: string | undefined) =>
  tracks({ transfer: reference }, { transfer: distorted });
const named = (findings: readonly Finding[]) =>
  findings.map(({ code, confidence }) => `${confidence} ${code}`);

/** Tones of waves and of the same with each sample of luma changed, under some noise. */
function tones(change: (luma: number) => number): Tones {
  const noise = random(3);
  const grey = { u: () => 128, v: () => 128 };
  const frames = [1, 2].map((seed) => ({ y: waves(seed), ...grey }));
  const changed = frames.map(({ y, ...chroma }) => ({
    ...chroma,
    y: (across: number, down: number) => change(y(across, down)) + 4 * (noise() - 0.5),
  }));
  const numbers = frames.map((_, index) => ({ reference: index, distorted: index }));
  const measured = tonesOf(
    blockMeansOf({ reference: pictures(frames), distorted: pictures(changed) }, numbers, IDENTITY),
  );
  assert.ok(measured);
  return measured;
}

/** SMPTE ST 2084 of BT.709 whose white is 203 cd/m², in 8 bits of limited range. */
function pq(luma: number): number {
  const coded = Math.max(0, (luma - 16) / 219);
  const light = coded < 0.081 ? coded / 4.5 : ((coded + 0.099) / 1.099) ** (1 / 0.45);
  const power = ((203 * light) / 10_000) ** 0.1593017578125;
  return 16 + 219 * ((0.8359375 + 18.8515625 * power) / (1 + 18.6875 * power)) ** 78.84375;
}

const same = (luma: number) => luma;
const [PQ, HLG] = ["smpte2084", "arib-std-b67"];

describe("transfer functions", () => {
  test("do not differ if they are the same curve or one is not stated", () => {
    for (const [one, other] of [
      ["bt709", "smpte170m"],
      ["bt709", "bt2020-10"],
      ["bt2020-12", "smpte170m"],
      [PQ, PQ],
      [PQ, undefined],
      [undefined, "bt709"],
    ])
      assert.deepEqual(
        transferFindings(transfers(one, other), () => tones(pq)),
        [],
      );
  });

  test("are only a hint if they are nearly the same", () => {
    for (const other of ["bt470bg", "bt470m", "iec61966-2-1", "smpte240m"])
      assert.deepEqual(named(transferFindings(transfers("bt709", other), () => tones(pq))), [
        "possible TRANSFER_DIFFERS",
      ]);
  });

  test("of HDR and SDR are certain if the samples show it too", () => {
    const [finding] = transferFindings(transfers("bt709", PQ), () => tones(pq));
    assert.equal(finding?.confidence, "certain");
    assert.match(
      finding?.evidence ?? "",
      /^The reference is SDR \(BT\.709\), the distorted video HDR \(PQ\) by their tags, and their samples agree: luma differs by \d/,
    );
    assert.ok((finding?.size ?? 0) > 10);
  });

  test("are likely if the samples have the same levels, or differ in another way", () => {
    const changes: readonly ((luma: number) => number)[] = [
      same,
      (luma) => luma + 12,
      (luma) => 0.9 * luma + 8,
      (luma) => 255 * (luma / 255) ** 0.85,
    ];
    for (const change of changes)
      for (const [one, other] of [
        ["bt709", PQ],
        ["bt709", HLG],
        [PQ, HLG],
      ])
        assert.deepEqual(named(transferFindings(transfers(one, other), () => tones(change))), [
          "likely TRANSFER_DIFFERS",
        ]);
    assert.deepEqual(named(transferFindings(transfers(PQ, "bt709"), () => tones(pq))), [
      "likely TRANSFER_DIFFERS",
    ]);
    assert.deepEqual(named(transferFindings(transfers("bt709", PQ), () => undefined)), [
      "likely TRANSFER_DIFFERS",
    ]);
    const [wrongTag] = transferFindings(transfers("bt709", PQ), () => tones(same));
    assert.match(
      wrongTag?.evidence ?? "",
      /their samples have the same levels: probably one of the tags is wrong/,
    );
  });
});

test("different primaries are likely, and similar ones possible", () => {
  const found = (one: string | undefined, other: string | undefined) =>
    named(primariesFindings(tracks({ primaries: one }, { primaries: other })));
  assert.deepEqual(found("bt709", "bt2020"), ["likely PRIMARIES_DIFFER"]);
  assert.deepEqual(found("smpte432", "bt2020"), ["likely PRIMARIES_DIFFER"]);
  assert.deepEqual(found("bt709", "smpte170m"), ["possible PRIMARIES_DIFFER"]);
  assert.deepEqual(found("bt470bg", "smpte170m"), ["possible PRIMARIES_DIFFER"]);
  for (const [one, other] of [
    ["smpte170m", "smpte240m"],
    ["bt2020", "bt2020"],
    ["bt709", undefined],
  ])
    assert.deepEqual(found(one, other), []);
});

const model = (name: string, { asked = name, digest = "" } = {}) => ({ name, asked, digest });

describe("models", () => {
  test("cause a warning if both videos are HDR, and a hint if none is chosen", () => {
    const hdr = transfers(PQ, HLG);
    assert.deepEqual(named(hdrFindings(hdr)), ["possible HDR"]);
    const [finding] = hdrFindings(hdr, [model("vmaf_v0.6.1"), model("vmaf_v1.0.16_3d0h", { asked: "v1" })]);
    assert.equal(finding?.confidence, "likely");
    assert.match(
      finding?.evidence ?? "",
      /HDR \(PQ and HLG\).*vmaf_v0\.6\.1, vmaf_v1\.0\.16_3d0h were trained on SDR/,
    );
  });

  test("from a file may be trained on HDR", () => {
    assert.deepEqual(hdrFindings(transfers(PQ, PQ), [model("own", { digest: "ab".repeat(32) })]), []);
  });

  test("fit pairs that are not both HDR by their tags", () => {
    for (const other of ["bt709", "linear", undefined])
      assert.deepEqual(hdrFindings(transfers(PQ, other), [model("vmaf_v0.6.1")]), []);
  });

  test("for another size cause a hint that names the model that fits", () => {
    const found = (height: number, ...models: ReturnType<typeof model>[]) =>
      modelSizeFindings({ width: Math.round((height * 16) / 9), height }, models);
    assert.deepEqual(named(found(2160, model("vmaf_v0.6.1"))), ["possible MODEL_SIZE"]);
    assert.match(
      found(2160, model("vmaf_v0.6.1"), model("vmaf_4k_v0.6.1"))[0]?.evidence ?? "",
      /^Pictures of 3840x2160 are usually scored with vmaf_4k_v0\.6\.1 instead of vmaf_v0\.6\.1:/,
    );
    assert.match(found(720, model("vmaf_4k_v0.6.1neg"))[0]?.evidence ?? "", /with vmaf_v0\.6\.1neg instead/);
    for (const height of [270, 1080, 1440]) assert.deepEqual(found(height, model("vmaf_v0.6.1")), []);
    for (const height of [1080, 2160]) assert.deepEqual(found(height, model("vmaf_4k_v0.6.1")), []);
  });

  test("chosen by a short name or from a file fit every size", () => {
    const models = [
      model("vmaf_v1.0.16_3d0h_2160", { asked: "v1-tv" }),
      model("vmaf_4k_v0.6.1", { digest: "ab".repeat(32) }),
      model("own", { digest: "ab".repeat(32) }),
      model("vmaf_v1.0.16_5d0h"),
    ];
    assert.deepEqual(modelSizeFindings({ width: 640, height: 360 }, models), []);
  });
});
