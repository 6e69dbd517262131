/**
 * Follows svc's advice for pairs with different frame counts and rates, step by step, until there is a score or a
 * refusal without advice. All encodes are lossless, so the correct result is known: each frame is compared with itself,
 * and its PSNR is libvmaf's maximum, 60 dB for 8 bits.
 */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { score } from "../cli/program.ts";
import { draw, encode, remux } from "../media/clips.ts";
import { MediaDirectory } from "../media/directory.ts";
import { ffmpeg } from "../media/ffmpeg.ts";

const FRAMES = 75;
const IDENTICAL_DB = 60;
const MAX_STEPS = 3;
/** The advice that is followed by itself, by `repair`. */
const DOCTOR = / svc doctor \S+ \S+ says how they relate; --fix repairs what is certain\. *$/;
const CONTAINERS = ["mp4", "mov", "mkv", "ts", "flv", "avi"] as const;
/** One key frame: a cut copies from the start, and an MP4 hides the part before the cut with an edit list. */
const LOSSLESS = ["-c:v", "libx264", "-preset", "ultrafast", "-qp", "0", "-threads", "1", "-g", "250"];
const SHORT_GOPS = [...LOSSLESS, "-g", "12", "-bf", "3"];
const PASS = ["-fps_mode", "passthrough"];

type Container = (typeof CONTAINERS)[number];

interface Kind {
  /** ffmpeg's input and output options for a video made from the reference. */
  readonly input?: readonly string[];
  readonly output?: readonly string[];
  /** Copied from a lossless encode, not re-encoded. */
  readonly copied?: "long GOP" | "short GOPs";
  /** Containers in which the advice leads to a score; in all others it leads to a refusal. */
  readonly scored: readonly Container[];
  /** Where the timestamps of two videos in one container show what is missing, what the advice leads to. */
  readonly isShown?: "scored" | "refused";
}

/** AVI has no timestamps with B-frames. */
const TIMED: readonly Container[] = ["mp4", "mov", "mkv", "ts", "flv"];

const KINDS: Readonly<Record<string, Kind>> = {
  "the head cut off, time from 0": { input: ["-ss", "0.52"], scored: [] },
  "the head cut off, time kept": {
    input: ["-copyts", "-ss", "0.52"],
    output: PASS,
    scored: ["mp4", "mov", "mkv", "flv"],
    isShown: "scored",
  },
  "the head cut off by a copy": { input: ["-ss", "0.52"], copied: "short GOPs", scored: ["mp4", "mov"] },
  "the head hidden by an edit list": { input: ["-ss", "0.52"], copied: "long GOP", scored: CONTAINERS },
  "frames dropped in the middle": {
    output: [...PASS, "-vf", "select='not(between(n,30,42))'"],
    scored: [],
    isShown: "refused",
  },
  "frames dropped in the middle, time closed": {
    output: [...PASS, "-vf", "select='not(between(n,30,42))',settb=1/25,setpts=N"],
    scored: [],
  },
  "the tail lost": { output: ["-frames:v", "62"], scored: CONTAINERS },
  "the tail lost, all but a frame": { output: ["-frames:v", "1"], scored: CONTAINERS },
  "25 to 30 frames per second": { output: ["-r", "30"], scored: [] },
  "25 to 24, frames dropped": { output: ["-r", "24"], scored: [] },
  "25 to 24, as many frames": {
    input: ["-r", "24"],
    scored: CONTAINERS,
  },
  "25 to 50, each frame twice": { output: ["-vf", "fps=50"], scored: CONTAINERS },
  "every second frame": { output: ["-vf", "fps=12.5"], scored: CONTAINERS },
  "every second frame, from the second on": {
    output: [...PASS, "-vf", "select='mod(n,2)',settb=2/25,setpts=N,fps=12.5"],
    scored: [],
  },
  "every second frame after the first four": { output: ["-r", "12.5"], scored: [] },
  "every third frame, from the second on": { output: ["-vf", "fps=25/3"], scored: [] },
};

describe("following the advice leads to a correct score or a refusal", () => {
  let media: MediaDirectory;
  let pristine: string;

  before(async () => {
    media = await MediaDirectory.open();
    pristine = media.file("pristine.y4m");
    await ffmpeg([...draw({ frames: FRAMES }), pristine]);
  });
  after(() => media.remove());

  async function make(kind: Kind, container: Container): Promise<string> {
    const { input = [], output = [], copied } = kind;
    const path = media.file(`distorted.${container}`);
    if (copied === undefined) {
      await ffmpeg([...input, "-i", pristine, ...output, ...LOSSLESS, path]);
      return path;
    }
    const codec = copied === "long GOP" ? LOSSLESS : SHORT_GOPS;
    const whole = media.file("whole.mp4");
    await ffmpeg(["-i", pristine, ...codec, whole]);
    return remux(media, whole, `distorted.${container}`, output, input);
  }

  for (const container of CONTAINERS) {
    for (const [name, kind] of Object.entries(KINDS)) {
      test(`${name}: ${container}`, async () => {
        const distorted = await make(kind, container);
        const { outcome, steps } = await obey(pristine, distorted);
        const expected = kind.scored.includes(container) ? "scored" : "refused";
        assert.equal(outcome, expected, steps.join("\n"));
        await repair(pristine, distorted);
      });
    }
  }

  for (const container of TIMED) {
    for (const [name, kind] of Object.entries(KINDS).filter(([, { isShown }]) => isShown)) {
      test(`${name}, with a reference in the same container: ${container}`, async () => {
        const reference = await encode(media, `twin.${container}`, { frames: FRAMES }, LOSSLESS);
        const { outcome, steps } = await obey(reference, await make(kind, container));
        assert.equal(outcome, kind.isShown);
        assert.match(steps.join(""), /According to its timestamps, the distorted video lacks/);
        assert.doesNotMatch(steps.join(""), /on-frame-count-mismatch|onFrameCountMismatch/);
      });
    }
  }
});

/** Scores a pair with --fix, which may refuse it; fails if the score is wrong. */
async function repair(reference: string, distorted: string): Promise<void> {
  const { code, stdout, stderr } = await score([reference, distorted, "--fix", "--metric", "psnr", "--json"]);
  if (code === 2) return;
  const { pooled, findings } = JSON.parse(stdout);
  assert.equal(pooled.psnr_y.min, IDENTICAL_DB, `${JSON.stringify(findings)} ${stderr}`);
}

/** Follows the advice of each refusal if its condition is true; fails if a score is wrong. */
async function obey(reference: string, distorted: string) {
  const flags: string[] = [];
  const steps: string[] = [];
  for (;;) {
    const pair = [reference, distorted, ...flags];
    const { code, stdout, stderr } = await score([...pair, "--metric", "psnr", "--json"]);
    const reported = stderr.replaceAll(/\n */g, " ").replace(DOCTOR, "");
    steps.push(`svc score ${pair.join(" ")}: ${reported}`);
    assert.ok(steps.length <= MAX_STEPS, steps.join("\n"));
    if (code === 0) {
      const { pooled, frameCount } = JSON.parse(stdout);
      const text = `${frameCount} frames, PSNR ${pooled.psnr_y.min} dB at least, after ${steps.join("\n")}`;
      assert.equal(pooled.psnr_y.min, IDENTICAL_DB, text);
      return { outcome: "scored", steps };
    }
    assert.equal(code, 2, reported);
    const advice = /\] (?<when>[^:\]]*): (?<flag>--[a-z-]+) (?<value>[a-z]+|-?\d+) *$/.exec(reported)?.groups;
    const { when = "", flag = "", value = "" } = advice ?? {};
    const condition = /^Only if (.*)$/.exec(when)?.[1];
    if (!advice || (condition !== undefined && !(await isTrue(condition, reference, distorted, flags))))
      return { outcome: "refused", steps };
    assert.ok(!flags.includes(flag), `the advice repeats itself: ${steps.join("\n")}`);
    flags.push(flag, value);
  }
}

const NTH: Readonly<Record<string, number>> = { second: 2, third: 3 };

/** Returns whether a condition is true for the frames that the two really have. */
async function isTrue(condition: string, reference: string, distorted: string, flags: readonly string[]) {
  const ignored = flags.includes("--edit-lists") ? ["-ignore_editlist", "1"] : [];
  const [r, d] = await Promise.all([framesOf(reference, ignored), framesOf(distorted, ignored)]);
  const [short, long] = r.length < d.length ? [r, d] : [d, r];
  if (condition === "the missing frames are the last ones")
    return short.every((frame, index) => frame === long[index]);
  if (condition === "both have the same frames at different speeds")
    return r.length === d.length && r.every((frame, index) => frame === d[index]);
  const head = /^the first (\d+) frames? and no others are missing$/.exec(condition)?.[1];
  if (head !== undefined) return short.every((frame, index) => frame === long[index + Number(head)]);
  const nth =
    /^the (?:reference|distorted video) consists of every (\w+) frame of the .*, from its first on$/.exec(
      condition,
    )?.[1];
  assert.ok(nth !== undefined, `an unknown condition: ${condition}`);
  const chosen = long.filter((_, index) => index % (NTH[nth] ?? Number.parseInt(nth, 10)) === 0);
  return chosen.length === short.length && chosen.every((frame, index) => frame === short[index]);
}

/** Returns the checksums of a file's decoded frames. */
async function framesOf(path: string, ignored: readonly string[]): Promise<string[]> {
  const input = /\.(mp4|mov)$/.test(path) ? ignored : [];
  const listed = await ffmpeg([...input, "-i", path, "-map", "0:v:0", ...PASS, "-f", "framemd5", "-"]);
  return listed
    .split("\n")
    .filter((line) => line.startsWith("0,"))
    .map((line) => line.slice(line.lastIndexOf(",") + 1).trim());
}
