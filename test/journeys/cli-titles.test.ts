/** svc compare with the manifest of a title: here, and on a real `svc up`, with and without uploads. */
import assert from "node:assert/strict";
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { after, before, describe, test } from "node:test";
import { type Ended, SVC, start } from "../cli/program.ts";
import { ffmpeg } from "../media/ffmpeg.ts";
import { Titles } from "../media/titles.ts";
import { ControllerProcess } from "../server/controller-process.ts";

interface Segment {
  readonly firstFrame: number;
  readonly frameCount: number;
  readonly mean: number;
  readonly min: number;
  readonly worstFrame: number;
}

interface Cell {
  readonly distorted: string;
  readonly ladder: string;
  readonly pooled: Readonly<Record<string, object>>;
  readonly segments: readonly Segment[];
}

let titles: Titles;
let up: ControllerProcess;
let manifest: string;
let temporary: string;
before(async () => {
  titles = await Titles.open();
  temporary = titles.file("temporary");
  await mkdir(temporary);
  await mkdir(titles.file("title"));
  manifest = titles.file("title/title.mpd");
  const inputs = ["-i", await titles.encode("h264"), "-i", await titles.encode("small")];
  const copies = ["-map", "0:v", "-map", "1:v", "-c", "copy"];
  await ffmpeg([...inputs, ...copies, "-f", "dash", "-seg_duration", "1", manifest]);
  up = await ControllerProcess.up({ dataDir: titles.file("data") });
});
after(async () => {
  await up[Symbol.asyncDispose]();
  await titles[Symbol.asyncDispose]();
});

async function svc(...args: readonly string[]): Promise<Ended> {
  await using running = start(SVC, args, { env: { SVC_SERVER: up.grpc, TMPDIR: temporary } });
  running.child.stdin?.end();
  const ended = await running.ended();
  assert.deepEqual(await readdir(temporary), [], "no file is left behind");
  return ended;
}

async function compared(...args: readonly string[]): Promise<readonly Cell[]> {
  const { code, stdout, stderr } = await svc("compare", ...args, "--json", "--quiet");
  assert.equal(code, 0, stderr);
  return (JSON.parse(stdout) as { cells: readonly Cell[] }).cells;
}

describe("svc compare with a manifest", () => {
  let here: readonly Cell[];

  test("scores each rendition as its encode is scored, and its segments", async () => {
    here = await compared(titles.source, manifest);
    const encodes = await compared(titles.source, await titles.encode("h264"), await titles.encode("small"));
    assert.deepEqual(
      here.map(({ pooled, ladder }) => [pooled, ladder]),
      encodes.map(({ pooled, ladder }) => [pooled, ladder]),
    );
    assert.match(here[0]?.distorted ?? "", /title\.mpd#160x90-\d+k$/);
    assert.match(here[1]?.distorted ?? "", /title\.mpd#96x54-\d+k$/);
    for (const { segments, pooled } of here) {
      assert.deepEqual(
        segments.map(({ firstFrame, frameCount }) => [firstFrame, frameCount]),
        [0, 25, 50, 75, 100, 125].map((first) => [first, 25]),
      );
      const mean = segments.reduce((sum, segment) => sum + segment.mean, 0) / segments.length;
      assert.ok(Math.abs(mean - (pooled["vmaf"] as { mean: number }).mean) < 1e-5);
    }
    for (const { segments } of encodes) assert.deepEqual(segments, []);
  });

  test("lists no segments if only a part of the frames is compared", async () => {
    const cells = await compared(titles.source, manifest, "--start", "30", "--duration", "60");
    assert.deepEqual(
      cells.map(({ segments }) => segments),
      [[], []],
    );
  });

  test("uploads the renditions to a controller, which gives them the same scores", async () => {
    const cells = await compared(titles.source, manifest, "--submit", "--upload");
    const scores = (all: readonly Cell[]) => all.map(({ pooled, segments }) => ({ pooled, segments }));
    assert.deepEqual(scores(cells), scores(here));
    assert.match(cells[0]?.distorted ?? "", /title-160x90-\d+k\.mp4$/);
  });

  test("is read in place by the nodes of a controller", async () => {
    const cells = await compared(titles.source, manifest, "--submit");
    const scores = (all: readonly Cell[]) =>
      all.map(({ pooled, segments, distorted }) => ({ pooled, segments, distorted }));
    assert.deepEqual(scores(cells), scores(here));
  });

  test("takes manifests of a list, and names the worst segments", async () => {
    const list = titles.file("list.csv");
    await writeFile(list, `reference,distorted,ladder\n${titles.source},title/title.mpd,web\n`);
    const { code, stdout } = await svc("compare", "--from", list);
    assert.equal(code, 0);
    const csv = await svc("compare", "--from", list, "--csv", "--table", "segments");
    const [heading = "", ...segments] = csv.stdout.trimEnd().split("\n");
    assert.equal(heading, "ladder,clip,distorted,number,first_frame,frame_count,mean,min,worst_frame");
    assert.deepEqual(
      segments.slice(0, 2).map((line) => line.split(",").toSpliced(1, 2).slice(0, 4)),
      [
        ["web", "1", "0", "25"],
        ["web", "2", "25", "25"],
      ],
    );
    assert.equal(segments.length, 12);
    assert.match(stdout, /^web +title\.mpd#160x90/m);
    assert.match(
      stdout,
      /The worst 5 of 12 segments\nENCODE +SEGMENT +FRAMES +MEAN +WORST +AT FRAME\ntitle\.mpd#96x54/,
    );
  });

  for (const [what, args, message] of [
    ["a manifest as reference", () => [manifest, titles.source], /source video of the title/],
    [
      "a manifest in a storage",
      () => [titles.source, "s3://films/title.mpd"],
      /manifest in a storage[\s\S]*Add --submit/,
    ],
    ["a manifest that does not exist", () => [titles.source, titles.file("no.m3u8")], /does not exist/],
  ] as const) {
    test(`refuses ${what}`, async () => {
      const { code, stdout, stderr } = await svc("compare", ...args());
      assert.deepEqual([code, stdout], [2, ""]);
      assert.match(stderr, message);
    });
  }

  test("scores the others if a title is encrypted or broken", async () => {
    const encrypted = titles.file("title/encrypted.m3u8");
    const key = '#EXT-X-KEY:METHOD=SAMPLE-AES,URI="skd://key"';
    await writeFile(
      encrypted,
      `#EXTM3U\n#EXT-X-TARGETDURATION:1\n${key}\n#EXTINF:1,\na.ts\n#EXT-X-ENDLIST\n`,
    );
    const broken = titles.file("title/text.mpd");
    await writeFile(broken, "not a manifest");
    const encode = await titles.encode("h264");
    const { code, stdout } = await svc("compare", titles.source, encrypted, encode, broken, "--json");
    assert.equal(code, 2);
    const { cells } = JSON.parse(stdout) as {
      cells: readonly (Cell & { readonly state: string; readonly error?: { readonly code: string } })[];
    };
    assert.deepEqual(
      cells.map(({ distorted, state, error }) => [distorted, state, error?.code]),
      [
        [encrypted, "FAILED", "MEDIA_ENCRYPTED"],
        [encode, "SUCCEEDED", undefined],
        [broken, "FAILED", "MANIFEST_INVALID"],
      ],
    );
    const alone = await svc("compare", titles.source, encrypted);
    assert.deepEqual([alone.code, alone.stdout], [2, ""]);
    assert.match(alone.stderr, /MEDIA_ENCRYPTED/);
  });

  test("says which rendition has a missing segment, and scores the others", async () => {
    const broken = titles.file("title/broken.m3u8");
    await writeFile(broken, "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\ngone.ts\n#EXT-X-ENDLIST\n");
    const { code, stdout } = await svc("compare", titles.source, broken, await titles.encode("h264"));
    assert.equal(code, 2);
    assert.match(stdout, /broken\.m3u8#rendition1: .*gone\.ts.* does not exist/s);
    assert.match(stdout, /^h264 +h264\.mp4/m);
  });
});
