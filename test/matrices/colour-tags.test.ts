/** Tags of transfer functions and primaries in real files, and what samples show of them. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Finding } from "../../src/engine/contract/finding.ts";
import { type PairRequest, pairRequest } from "../../src/engine/contract/request.ts";
import { Fixture, warningCodes } from "../engine/fixture.ts";
import { encode, LOSSY, SCENE } from "../media/clips.ts";

const FILM = { ...SCENE, width: 320, height: 180, frames: 48 };
const LIGHT =
  "setparams=color_trc=bt709:color_primaries=bt709:colorspace=bt709,zscale=transfer=linear:npl=203";
const HEVC = [...LOSSY.hevc, "-pix_fmt", "yuv420p10le"];
/** Of references: better than every encode. */
const FINE = ["-crf", "16"];

/** Filters that convert the scene, and tag it. */
const hdr = (curve: string) =>
  `${LIGHT},format=gbrpf32le,zscale=primaries=bt2020:transfer=${curve}:matrix=bt2020nc:range=limited:npl=203,format=yuv420p10le`;
const tagged = (curve: string, primaries: string) =>
  `setparams=color_trc=${curve}:color_primaries=${primaries}`;

describe("tags of colours", () => {
  let fixture: Fixture;
  let sdr: string;
  let sdrEncode: string;
  let pq: string;
  let pqEncode: string;
  before(async () => {
    fixture = await Fixture.open();
    sdr = await video("sdr.mp4", tagged("bt709", "bt709"), [...LOSSY.h264, ...FINE]);
    sdrEncode = await video("encode.mp4", tagged("bt709", "bt709"), LOSSY.h264);
    pq = await video("pq.mp4", hdr("smpte2084"), [...HEVC, ...FINE]);
    pqEncode = await video("encode.mkv", hdr("smpte2084"));
  });
  after(() => fixture.close());

  const video = (name: string, filters: string, codec: readonly string[] = HEVC) =>
    encode(fixture.media, name, { ...FILM, filters }, codec);

  async function diagnosed(reference: string, distorted: string): Promise<readonly Finding[]> {
    const engine = await fixture.engine();
    return (await engine.diagnose(pairRequest({ reference, distorted }))).findings;
  }

  async function score(reference: string, distorted: string, over: Partial<PairRequest> = {}) {
    const engine = await fixture.engine();
    return engine.score(pairRequest({ reference, distorted, ...over }));
  }

  test("a pair of HDR and SDR, as its samples show, is refused, whichever is the reference", async () => {
    const hlg = await video("hlg.mkv", hdr("arib-std-b67"));
    for (const [reference, distorted] of [
      [sdr, pqEncode],
      [pq, sdrEncode],
      [sdr, hlg],
    ] as const) {
      const { message, found } = await fixture.expectFailure({ reference, distorted }, "PAIR_MISMATCH");
      assert.match(
        message,
        /HDR \((PQ|HLG)\).*their samples agree.*\(TRANSFER_DIFFERS\) Convert one of the files/,
      );
      assert.deepEqual(found?.["remedy"], { option: "findings", value: "WARN" });
    }
    const warned = await score(sdr, pqEncode, { findings: { action: "WARN" } });
    assert.deepEqual(warningCodes(warned), ["BIT_DEPTH_DIFFERS", "PRIMARIES_DIFFER", "TRANSFER_DIFFERS"]);
    const tags = [warned.reference, warned.distorted].map((side) => [
      side.colorTransfer,
      side.colorPrimaries,
    ]);
    assert.deepEqual(tags, [
      ["bt709", "bt709"],
      ["smpte2084", "bt2020"],
    ]);
  });

  test("a wrong tag is a warning", async () => {
    const wrong = await video("wrong.mp4", tagged("smpte2084", "bt709"), LOSSY.h264);
    for (const findings of [await diagnosed(sdr, wrong), (await score(sdr, wrong)).findings])
      assert.deepEqual(
        findings.map(({ code, confidence }) => [code, confidence]),
        [["TRANSFER_DIFFERS", "likely"]],
      );
  });

  test("tags that mean the same, or that one side lacks, cause no finding", async () => {
    const same = await video("same.mp4", tagged("bt2020-10", "bt709"), LOSSY.h264);
    const untagged = await video("untagged.mp4", "", LOSSY.h264);
    for (const other of [same, untagged]) assert.deepEqual(await diagnosed(sdr, other), []);
  });

  test("different primaries are a warning, and those of different standard-definition systems a hint", async () => {
    const wide = await video("wide.mp4", tagged("bt709", "bt2020"), LOSSY.h264);
    const pal = await video("pal.mp4", tagged("bt709", "bt470bg"), LOSSY.h264);
    assert.deepEqual(warningCodes(await score(sdr, wide)), ["PRIMARIES_DIFFER"]);
    const { warnings, findings } = await score(sdr, pal);
    assert.deepEqual(warnings, []);
    assert.deepEqual(
      findings.map(({ code, confidence }) => [code, confidence]),
      [["PRIMARIES_DIFFER", "possible"]],
    );
  });

  test("two HDR videos are scored, with a warning of the model, in segments and by nodes too", async () => {
    const both = (await diagnosed(pq, pqEncode)).filter(({ code }) => code !== "NOT_CHECKED");
    assert.deepEqual(
      both.map(({ code, confidence }) => [code, confidence]),
      [["HDR", "possible"]],
    );
    assert.deepEqual(warningCodes(await score(pq, pqEncode)), ["HDR"]);
    const ignored = await score(pq, pqEncode, { findings: { codes: { HDR: "IGNORE" } } });
    const codes = ignored.findings.map(({ code }) => code);
    assert.deepEqual([codes, ignored.warnings], [["NOT_CHECKED"], []]);
    const engine = await fixture.engine();
    const request = pairRequest({ reference: pq, distorted: pqEncode });
    const { plan, segments } = await engine.plan(request, { segments: { seconds: 1 } });
    const found = await Promise.all(
      segments.map(({ segment }) => engine.scoreSegment({ request, plan, segment })),
    );
    assert.ok(found.some(({ findings }) => findings.some(({ code }) => code === "HDR")));
  });

  test("a model for another size is a hint, which a short name never needs", async () => {
    const { findings, warnings } = await score(sdr, sdrEncode, { models: ["vmaf_4k_v0.6.1", "v1"] });
    assert.deepEqual(
      findings.map(({ code, confidence }) => [code, confidence]),
      [["MODEL_SIZE", "possible"]],
    );
    assert.match(findings[0]?.evidence ?? "", /vmaf_v0\.6\.1 instead of vmaf_4k_v0\.6\.1/);
    assert.ok(!warnings.some(({ code }) => code === "MODEL_SIZE"));
    assert.deepEqual((await score(sdr, sdrEncode, { models: ["v1"] })).findings, []);
  });
});
