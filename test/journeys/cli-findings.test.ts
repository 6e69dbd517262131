/** svc score with pairs that do not match: refused with their fix, repaired, or scored as they are. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type Ended, SVC, score, start } from "../cli/program.ts";
import { Up } from "../cli/up.ts";
import { encode, LOSSY, pristine } from "../media/clips.ts";
import { MediaDirectory } from "../media/directory.ts";
import { ffmpeg } from "../media/ffmpeg.ts";

const FILM = { width: 480, height: 270, frames: 100 };
const MODEL = ["-m", "vmaf_v0.6.1"];

/** The part of a result that is checked. */
interface Scored {
  readonly frames: readonly unknown[];
  readonly pooled: unknown;
  readonly warnings: readonly { readonly code: string }[];
  readonly findings: readonly {
    readonly code: string;
    readonly confidence: string;
    readonly fixed: boolean;
  }[];
}

let media: MediaDirectory;
let reference: string;
/** Has more frames than the reference. */
let long: string;
/** Lacks the first 5 frames of the reference, and has as many frames. */
let late: string;
before(async () => {
  media = await MediaDirectory.open();
  reference = await pristine(media, "reference.y4m", FILM);
  long = await encode(media, "long.mp4", { ...FILM, frames: 105 }, LOSSY.h264);
  late = await lossless(long, "late.mkv", "trim=start_frame=5");
});
after(async () => {
  assert.deepEqual(await media.leftovers(), []);
  await media.remove();
});

/** Writes a video with other frames or areas, but the same samples. */
async function lossless(from: string, name: string, filters: string): Promise<string> {
  const path = media.file(name);
  await ffmpeg(["-i", from, "-vf", `${filters},setpts=N/25/TB`, ...LOSSY.ffv1, path]);
  return path;
}

async function scored(args: readonly string[]): Promise<Scored> {
  const { code, stdout, stderr } = await score([...args, ...MODEL, "--json", "--frames"]);
  assert.equal(code, 0, stderr);
  return JSON.parse(stdout);
}

/** Joins wrapped lines. */
function unwrapped(text: string): string {
  return text.replace(/\s+/g, " ");
}

function refusal({ code, stdout, stderr }: Ended): string {
  assert.deepEqual([code, stdout], [2, ""], stderr);
  return unwrapped(stderr);
}

/** Without what the pictures leave open. */
function found<Finding extends { readonly code: string }>(findings: readonly Finding[]): readonly Finding[] {
  return findings.filter(({ code }) => code !== "NOT_CHECKED");
}

describe("a pair that does not match", () => {
  for (const [what, fault, code, options] of [
    ["lost a frame", "select=not(eq(n\\,40)),trim=end_frame=100", "FRAMES_DROPPED", "--runs 0:0:40,41:40:59"],
    ["was mirrored", "trim=end_frame=100,hflip", "MIRRORED", "--mirror distorted=horizontal"],
    ["has bars", "trim=end_frame=100,pad=480:330:0:30", "BARS", "--crop distorted=480x270+0+30"],
    ["was cropped", "trim=end_frame=100,crop=400:226:40:22", "CROPPED", "--crop reference=400x226+40+22"],
  ] as const) {
    test(`because it ${what} is refused with the commands to type`, async () => {
      const pair = [reference, await lossless(long, `${code}.mkv`, fault)];
      const text = refusal(await score([...pair, ...MODEL]));
      const command = `svc score ${pair.join(" ")} -m vmaf_v0.6.1`;
      assert.match(text, /^error: The two videos do not match, .* \[PAIR_MISMATCH\] /);
      assert.ok(text.includes(` ${code} (certain) `), text);
      assert.ok(text.includes(`To score what was meant ${command} ${options} `), text);
      assert.ok(text.includes(` ${command} --fix `), text);
      assert.ok(text.includes(`as it is, with warnings ${command} --findings warn`), text);
    });
  }

  test("has the frames of a pair without the faults if it is repaired, by --fix or by options", async () => {
    const faulty = [reference, await lossless(long, "faulty.mkv", "trim=start_frame=5,hflip")];
    const clean = await scored([
      await lossless(reference, "clean-reference.mkv", "trim=start_frame=5"),
      await lossless(long, "clean-late.mkv", "trim=start_frame=5:end_frame=100"),
    ]);
    const options = ["--offset", "-5", "--mirror", "distorted"];
    for (const repair of [["--fix"], options]) {
      const { frames, pooled } = await scored([...faulty, ...repair]);
      assert.deepEqual(frames, clean.frames);
      assert.deepEqual(pooled, clean.pooled);
    }
    assert.deepEqual(clean.findings, []);
    const { findings } = await scored([...faulty, "--fix"]);
    assert.deepEqual(
      findings.map(({ code, fixed }) => [code, fixed]),
      [
        ["MIRRORED", true],
        ["OFFSET", true],
      ],
    );
  });

  test("is refused as a problem with findings, fix and remedy for programs", async () => {
    const { code, stdout } = await score([reference, late, ...MODEL, "--json"]);
    const problem = JSON.parse(stdout);
    assert.deepEqual([code, problem.code], [2, "PAIR_MISMATCH"]);
    assert.match(
      problem.detail,
      /lacks the first 5 frames .* \(OFFSET\) Use --fix .* or use --findings warn /,
    );
    assert.deepEqual(problem.found.fix, { offset: -5 });
    assert.deepEqual(problem.found.remedy, { option: "fix", value: true });
    assert.equal(problem.found.findings[0].code, "OFFSET");
  });

  test("is scored as it is, with warnings, if the policy says so", async () => {
    for (const policy of ["warn", "warn:OFFSET"]) {
      const { warnings, findings, frames } = await scored([reference, late, "--findings", policy]);
      assert.deepEqual(
        warnings.map(({ code }) => code),
        ["OFFSET"],
      );
      assert.deepEqual(
        found(findings).map(({ code, confidence, fixed }) => [code, confidence, fixed]),
        [["OFFSET", "certain", false]],
      );
      assert.equal(frames.length, FILM.frames);
    }
    const { code, stdout } = await score([reference, late, ...MODEL, "--findings", "warn"]);
    assert.equal(code, 0);
    assert.match(
      stdout,
      /^OFFSET \(certain\)\n {2}The distorted video lacks .*\n(?: {2}.*\n)* {2}Fix: --offset -5$/m,
    );
    assert.doesNotMatch(stdout, /Warning/);
  });

  test("is scored without warnings if the policy ignores its findings", async () => {
    for (const policy of ["ignore", "ignore:OFFSET"]) {
      const { warnings, findings } = await scored([reference, late, "--findings", policy]);
      assert.deepEqual([warnings, found(findings)], [[], []]);
    }
  });

  test("is refused if the policy names other findings, and says how to keep them", async () => {
    const policy = ["--findings", "warn:BARS"];
    const text = refusal(await score([reference, late, ...MODEL, ...policy]));
    assert.ok(text.includes("-m vmaf_v0.6.1 --findings warn:BARS --findings warn:OFFSET"), text);
  });

  test("shows what was repaired", async () => {
    const { code, stdout } = await score([reference, late, ...MODEL, "--fix"]);
    assert.equal(code, 0);
    assert.match(stdout, /^OFFSET \(certain, fixed\)$/m);
    assert.match(stdout, /^ {2}Fixed with: --offset -5$/m);
  });

  test("with different numbers of frames is referred to svc doctor, and --fix leaves out unmatched frames", async () => {
    const text = refusal(await score([reference, long, ...MODEL, "--edit-lists", "ignore"]));
    assert.match(text, /\[FRAME_COUNT_MISMATCH\]/);
    const doctor = `svc doctor ${reference} ${long} --edit-lists ignore`;
    assert.ok(text.endsWith(` ${doctor} says how they relate; --fix repairs what is certain. `), text);
    const { findings, frames } = await scored([reference, long, "--fix"]);
    assert.deepEqual(
      findings.map(({ code, fixed }) => [code, fixed]),
      [["TRIMMED", true]],
    );
    assert.equal(frames.length, FILM.frames);
  });
});

test("a pair that matches is scored the same with --fix, and the report says so", async () => {
  const pair = [reference, await lossless(long, "clean.mkv", "trim=end_frame=100")];
  const { code, stdout } = await score([...pair, ...MODEL, "--fix"]);
  assert.equal(code, 0);
  assert.match(stdout, /^--fix found nothing certain to repair\.$/m);
  const [fixed, plain] = [await scored([...pair, "--fix"]), await scored(pair)];
  assert.deepEqual(fixed.frames, plain.frames);
  assert.deepEqual(fixed.findings, plain.findings);
});

test("a policy or a finding that does not exist is refused", async () => {
  for (const [policy, reason] of [
    ["allow", /Use refuse, warn or ignore/],
    ["warn:OFSET", /the codes are OFFSET, TRIMMED/],
  ] as const)
    assert.match(refusal(await score([reference, late, "--findings", policy])), reason);
});

describe("a job", () => {
  let up: Up;
  before(async () => {
    up = await Up.start();
  });
  after(() => up[Symbol.asyncDispose]());

  test("whose pair does not match fails with the fix", async () => {
    const { code, stderr } = await up.svc(["jobs", "submit", reference, late, ...MODEL, "--wait"]);
    assert.equal(code, 2, stderr);
    const advice = /OFFSET \(certain\) .* submit the pair with --offset -5 .* --fix .* --findings warn/;
    assert.match(unwrapped(stderr), advice);
    const id = /^Job (\S+)$/m.exec(stderr)?.[1] ?? "";
    assert.match(unwrapped((await up.svc(["jobs", "get", id])).stdout), advice);
  });

  test("with --fix has the frames of svc score, and its report shows what was repaired", async () => {
    const { code, stdout, stderr } = await up.svc([
      ...["jobs", "submit", reference, late, ...MODEL, "--wait", "--fix", "--findings", "warn:FROZEN"],
    ]);
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^OFFSET \(certain, fixed\)$/m);
    const id = /^Job (\S+)$/m.exec(stderr)?.[1] ?? "";
    const { spec } = JSON.parse((await up.svc(["jobs", "get", id, "--json"])).stdout);
    assert.deepEqual([spec.fix, spec.findings.codes], [true, { FROZEN: "WARN" }]);
    const { stdout: here } = await score([reference, late, ...MODEL, "--fix", "--csv", "-", "-q"]);
    assert.equal((await up.svc(["jobs", "frames", id])).stdout, here);
  });
});

test("svc doctor ends with both commands that repair the pair", async () => {
  await using running = start(SVC, ["doctor", reference, late]);
  running.child.stdin?.end();
  const { stdout } = await running.ended();
  const command = `svc score ${reference} ${late}`;
  assert.ok(stdout.includes(`\n  ${command} --offset -5\n`), stdout);
  assert.ok(stdout.includes(`\n  ${command} --fix\n`), stdout);
});
