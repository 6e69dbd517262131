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
import { ask, type Problem } from "../server/rest-client.ts";
import { ServerProcess } from "../server/server-process.ts";

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

  describe("of the scoring server", () => {
    let server: ServerProcess;
    before(async () => {
      server = await ServerProcess.start();
    });
    after(() => server[Symbol.asyncDispose]());

    for (const container of CONTAINERS) {
      for (const [name, kind] of Object.entries(KINDS)) {
        test(`${name}: ${container}`, async () => {
          const distorted = await make(kind, container);
          const { outcome, steps } = await obey(pristine, distorted, throughServer(server));
          const expected = kind.scored.includes(container) ? "scored" : "refused";
          assert.equal(outcome, expected, steps.join("\n"));
          await repair(pristine, distorted, server);
        });
      }
    }

    for (const container of TIMED) {
      for (const [name, kind] of Object.entries(KINDS).filter(([, { isShown }]) => isShown)) {
        test(`${name}, with a reference in the same container: ${container}`, async () => {
          const reference = await encode(media, `twin.${container}`, { frames: FRAMES }, LOSSLESS);
          const distorted = await make(kind, container);
          const { outcome, steps } = await obey(reference, distorted, throughServer(server));
          assert.equal(outcome, kind.isShown);
          assert.match(steps.join(""), /According to its timestamps, the distorted video lacks/);
          assert.doesNotMatch(steps.join(""), /onFrameCountMismatch/);
        });
      }
    }
  });

  describe("of the command line", () => {
    for (const [name, kind] of Object.entries(KINDS)) {
      test(name, async () => {
        const { outcome, steps } = await obey(pristine, await make(kind, "mp4"), throughCommandLine);
        assert.equal(outcome, kind.scored.includes("mp4") ? "scored" : "refused", steps.join("\n"));
      });
    }
  });
});

/** An option of a request, and what must be true for it. */
interface Advice {
  readonly option: string;
  readonly value: string | number;
  readonly condition: string | undefined;
}

interface Scored {
  readonly frameCount: number;
  readonly pooled: Readonly<Record<string, { readonly min: number }>>;
  readonly findings?: readonly unknown[];
}

/** What came of a request: the result, or the refusal with its advice. */
interface Reply {
  readonly result?: Scored;
  readonly advice?: Advice | undefined;
  /** The request and the refusal, for failures of this test. */
  readonly text: string;
}

/** Scores a pair with the options that were advised. */
type Way = (reference: string, distorted: string, advised: readonly Advice[]) => Promise<Reply>;

function throughServer(server: ServerProcess): Way {
  return async (reference, distorted, advised) => {
    const options = Object.fromEntries(advised.map(({ option, value }) => [option, value]));
    const { result, problem } = await scored(server, { reference, distorted, ...options });
    if (result !== undefined) return { result, text: JSON.stringify(options) };
    const remedy = problem?.found?.["remedy"] as (Remedy & { value: string | number }) | undefined;
    const isFollowed = remedy !== undefined && remedy.option !== "fix";
    return {
      advice: isFollowed ? { ...remedy, condition: remedy.onlyIf } : undefined,
      text: `${JSON.stringify(options)}: ${JSON.stringify(problem)}`,
    };
  };
}

/** The used members of `found.remedy`. The option "fix" is followed by itself, by `repair`. */
interface Remedy {
  readonly option: string;
  readonly onlyIf?: string;
}

async function scored(
  server: ServerProcess,
  request: object,
): Promise<{ result?: Scored; problem?: Problem }> {
  const body = JSON.stringify({ ...request, features: ["psnr"] });
  const headers = { "content-type": "application/json" };
  const answer = await ask<Scored & Problem>(server, "/v1/score", { method: "POST", headers, body });
  if (answer.status === 200) return { result: answer.body };
  assert.equal(answer.status, 422, JSON.stringify(answer.body));
  return { problem: answer.body };
}

const throughCommandLine: Way = async (reference, distorted, advised) => {
  const flags = advised.flatMap(({ option, value }) => [option, String(value)]);
  const pair = [reference, distorted, ...flags];
  const { code, stdout, stderr } = await score([...pair, "--metric", "psnr", "--json"]);
  const reported = stderr.replaceAll(/\n */g, " ").replace(DOCTOR, "");
  const text = `svc score ${pair.join(" ")}: ${reported}`;
  if (code === 0) return { result: JSON.parse(stdout), text };
  assert.equal(code, 2, reported);
  const found = /\] (?<when>[^:\]]*): (?<flag>--[a-z-]+) (?<value>[a-z]+|-?\d+) *$/.exec(reported)?.groups;
  if (found === undefined) return { text };
  const { when = "", flag = "", value = "" } = found;
  return { advice: { option: flag, value, condition: /^Only if (.*)$/.exec(when)?.[1] }, text };
};

/** Scores a pair with the fixes of the doctor, which may refuse it; fails if the score is wrong. */
async function repair(reference: string, distorted: string, server: ServerProcess): Promise<void> {
  const { result } = await scored(server, { reference, distorted, fix: true });
  if (result === undefined) return;
  assert.equal(result.pooled["psnr_y"]?.min, IDENTICAL_DB, JSON.stringify(result.findings));
}

/** Follows the advice of each refusal if its condition is true; fails if a score is wrong. */
async function obey(reference: string, distorted: string, way: Way) {
  const advised: Advice[] = [];
  const steps: string[] = [];
  for (;;) {
    const { result, advice, text } = await way(reference, distorted, advised);
    steps.push(text);
    assert.ok(steps.length <= MAX_STEPS, steps.join("\n"));
    if (result !== undefined) {
      const psnr = result.pooled["psnr_y"]?.min;
      const score = `${result.frameCount} frames, PSNR ${psnr} dB at least, after ${steps.join("\n")}`;
      assert.equal(psnr, IDENTICAL_DB, score);
      return { outcome: "scored", steps };
    }
    if (advice === undefined || !(await isTrue(advice, reference, distorted, advised)))
      return { outcome: "refused", steps };
    const isNew = advised.every(({ option }) => option !== advice.option);
    assert.ok(isNew, `the advice repeats itself: ${steps.join("\n")}`);
    advised.push(advice);
  }
}

const NTH: Readonly<Record<string, number>> = { second: 2, third: 3 };

/** Returns whether the condition of an advice is true for the frames that the two really have. */
async function isTrue(
  { condition }: Advice,
  reference: string,
  distorted: string,
  advised: readonly Advice[],
) {
  if (condition === undefined) return true;
  const isIgnored = advised.some(({ option }) => ["editLists", "--edit-lists"].includes(option));
  const ignored = isIgnored ? ["-ignore_editlist", "1"] : [];
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
