/** svc doctor: what is wrong with a pair, and the options that repair it. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { SVC, score, start } from "../cli/program.ts";
import { encode, LOSSY, pristine } from "../media/clips.ts";
import { MediaDirectory } from "../media/directory.ts";

const FILM = { width: 480, height: 270, frames: 100 };
/** The part of the JSON that is checked. */
interface Printed {
  readonly findings: readonly {
    readonly code: string;
    readonly confidence: string;
    readonly size?: number;
  }[];
  readonly runs: unknown;
  readonly fix: unknown;
  readonly checked: { readonly distorted: unknown };
}

/** Options of a repaired pair are worth this many points at least. */
const CLEARLY = 20;

describe("svc doctor", () => {
  let media: MediaDirectory;
  let reference: string;
  before(async () => {
    media = await MediaDirectory.open();
    reference = await pristine(media, "reference.y4m", FILM);
  });
  after(() => media.remove());

  const encoded = (name: string, filters: string, frames = FILM.frames) =>
    encode(media, name, { ...FILM, frames, filters }, LOSSY.h264);

  test("finds nothing wrong with an encode", async () => {
    const { code, stdout } = await doctor([reference, await encoded("clean.mp4", "")]);
    assert.equal(code, 0, stdout);
    assert.match(stdout, /^Nothing is wrong with the pair/);
    assert.match(stdout, /reference 0–99 = distorted 0–99 \(100 frames\)/);
    assert.match(stdout, /^≠ +Codec +rawvideo +h264$/m);
  });

  for (const [what, filters, frames, finding, options] of [
    ["began late", "trim=start_frame=5,setpts=PTS-STARTPTS", 105, "OFFSET", ["--offset", "-5"]],
    ["lost its first frames", "trim=start_frame=7,setpts=PTS-STARTPTS", 100, "OFFSET", ["--offset", "-7"]],
    [
      "lost a frame",
      "select=not(eq(n\\,40)),setpts=N/25/TB",
      100,
      "FRAMES_DROPPED",
      ["--runs", "0:0:40,41:40:59"],
    ],
    ["was cropped", "crop=400:226:40:22", 100, "CROPPED", ["--crop", "reference=400x226+40+22"]],
    ["was mirrored", "hflip", 100, "MIRRORED", ["--mirror", "distorted=horizontal"]],
    ["has bars", "pad=480:330:0:30", 100, "BARS", ["--crop", "distorted=480x270+0+30"]],
    [
      "was mirrored after it got a bar",
      "pad=480:310:0:40,vflip",
      100,
      "MIRRORED",
      ["--crop", "distorted=480x270+0+0", "--mirror", "distorted=vertical"],
    ],
  ] as const) {
    test(`says that an encode ${what}, and its options repair the pair`, async () => {
      const distorted = await encoded(`${what.replaceAll(" ", "-")}.mp4`, filters, frames);
      const { code, stdout, stderr } = await doctor([reference, distorted]);
      assert.equal(code, 1, `${stdout}${stderr}`);
      assert.match(stdout, new RegExp(`^${finding} \\(certain\\)(?: {2}\\S.*)?$`, "m"));
      assert.ok(stdout.includes(`  svc score ${reference} ${distorted} ${options.join(" ")}\n`), stdout);
      const repaired = await scoreOf([reference, distorted, ...options]);
      const common = ["--on-frame-count-mismatch", "common", "--findings", "ignore"];
      assert.ok(repaired > (await scoreOf([reference, distorted, ...common])) + CLEARLY, String(repaired));
    });
  }

  test("finds a crop by two columns that was scaled to the old size", async () => {
    const scene = { ...FILM, filters: "crop=478:270:2:0,scale=480:270:flags=bicubic" };
    const quality = ["-c:v", "libx264", "-preset", "veryfast", "-crf", "20", "-threads", "1"];
    const distorted = await encode(media, "narrow.mp4", scene, quality);
    const { stdout } = await doctor([reference, distorted]);
    assert.match(stdout, /^CROPPED \(certain\)/m);
    const options = ["--crop", "reference=478x270+2+0"];
    assert.ok(stdout.includes(`  svc score ${reference} ${distorted} ${options.join(" ")}\n`), stdout);
    const asItIs = await scoreOf([reference, distorted, "--findings", "ignore"]);
    assert.ok((await scoreOf([reference, distorted, ...options])) > asItIs + CLEARLY, String(asItIs));
  });

  test("takes the place of frames that a still picture lacks from the timestamps", async () => {
    const still = "trim=end_frame=1,loop=loop=99:size=1,setpts=round(N/25/TB)";
    const whole = await pristine(media, "still.y4m", { ...FILM, filters: still });
    const gap = { ...FILM, filters: `${still},select=not(between(n\\,40\\,43))` };
    const kept = await encode(media, "gap.mp4", gap, ["-fps_mode", "passthrough", ...LOSSY.h264, "-bf", "0"]);
    const { stdout } = await doctor([whole, kept]);
    assert.match(stdout, /^FRAMES_DROPPED \(certain\) {2}frames 40–43 of the reference$/m);
    assert.match(
      stdout.replace(/\s+/g, " "),
      /The timestamps have a gap there\. Fix: --runs 0:0:40,44:40:56/,
    );
    // The same frames at even times do not show where frames are missing.
    const even = await encoded("even.mp4", `${gap.filters},setpts=N/25/TB`);
    assert.match((await doctor([whole, even])).stdout, /^TIME_UNCLEAR/m);
  });

  test("prints the diagnosis as JSON", async () => {
    const distorted = await encoded("late.mp4", "trim=start_frame=3,setpts=PTS-STARTPTS", 103);
    const { code, stdout } = await doctor([reference, distorted, "--json"]);
    const { findings, runs, fix, checked }: Printed = JSON.parse(stdout);
    assert.equal(code, 1);
    assert.deepEqual(
      findings.map((finding) => [finding.code, finding.confidence, finding.size]),
      [["OFFSET", "certain", -3]],
    );
    assert.deepEqual(runs, [{ reference: 3, distorted: 0, count: 97 }]);
    assert.deepEqual(fix, { offset: -3, runs: [] });
    assert.deepEqual(checked.distorted, [{ first: 0, count: 100 }]);
  });

  test("says that two videos show other content, and offers no fix", async () => {
    const other = await encode(media, "other.mp4", FILM, [
      ...["-vf", "geq=lum='128+100*sin(X/9+N/3)*cos(Y/7-N/5)':cb=128:cr=128"],
      ...LOSSY.h264,
    ]);
    const { code, stdout } = await doctor([reference, other]);
    assert.equal(code, 1, stdout);
    assert.match(stdout, /^OTHER_CONTENT \((certain|likely)\)$/m);
    assert.doesNotMatch(stdout, /Fix:|svc score/);
  });

  test("refuses a file that cannot be read", async () => {
    const { code, stderr } = await doctor([reference, media.file("absent.mp4")]);
    assert.equal(code, 2);
    assert.match(stderr, /\[MEDIA_NOT_FOUND\]/);
  });
});

async function scoreOf(args: readonly string[]): Promise<number> {
  const { code, stdout, stderr } = await score([...args, "--json"]);
  assert.equal(code, 0, stderr);
  return JSON.parse(stdout).score;
}

async function doctor(args: readonly string[]) {
  await using running = start(SVC, ["doctor", ...args]);
  running.child.stdin?.end();
  return await running.ended();
}
