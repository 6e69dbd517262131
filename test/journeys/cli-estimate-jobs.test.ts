/** Estimates of jobs on a real `svc up`: submit, list, gates, refusals, and finish, with the digits of svc score. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { score } from "../cli/program.ts";
import { Up } from "../cli/up.ts";
import { encode, LOSSY } from "../media/clips.ts";
import { MediaDirectory } from "../media/directory.ts";
import { sameResult } from "../server/same-result.ts";

const FILM = { width: 96, height: 54, frames: 2000 };
const ESTIMATE = ["--estimate", "10", "--seed", "7"];

let media: MediaDirectory;
let pair: [string, string];
let up: Up;
before(async () => {
  media = await MediaDirectory.open();
  const source = ["-c:v", "libx264", "-crf", "8", "-g", "12"];
  pair = [
    await encode(media, "reference.mp4", FILM, source),
    await encode(media, "distorted.mp4", FILM, LOSSY.h264),
  ];
  up = await Up.start();
});
after(async () => {
  await up[Symbol.asyncDispose]();
  assert.deepEqual(await media.leftovers(), []);
  await media.remove();
});

/** Joins wrapped lines. */
function unwrapped(text: string): string {
  return text.replace(/\s+/g, " ");
}

async function jobOf(id: string) {
  return JSON.parse((await up.svc(["jobs", "get", id, "--json"])).stdout);
}

describe("a job with an estimate", () => {
  let id: string;
  before(async () => {
    const { code, stderr } = await up.svc(["jobs", "submit", ...pair, ...ESTIMATE, "--wait"]);
    assert.equal(code, 0, stderr);
    id = /^Job (\S+)$/m.exec(stderr)?.[1] ?? "";
  });

  test("has the result of svc score with the same seed, and its frames", async () => {
    const here = JSON.parse((await score([...pair, ...ESTIMATE, "--json"])).stdout);
    const { result, estimate } = await jobOf(id);
    sameResult(result, here);
    assert.equal(result.estimate.seed, 7);
    const { low, high, scoredShare } = result.estimate;
    assert.deepEqual(estimate, { score: result.score, low, high, scoredShare });
    const frames = await up.svc(["jobs", "frames", id]);
    assert.equal(frames.stdout, (await score([...pair, ...ESTIMATE, "--csv", "-", "-q"])).stdout);
  });

  test("is shown as an estimate", async () => {
    const { estimate } = await jobOf(id);
    const list = await up.svc(["jobs", "list"]);
    assert.match(list.stdout, new RegExp(`${id} .*≈ ${estimate.score.toFixed(2)}( ±|, )`));
    const watch = await up.svc(["jobs", "watch", id]);
    assert.match(watch.stdout, /VMAF ≈ \d+\.\d\d.* \(estimate, \d+\.\d % of the frames\)/);
    const page = unwrapped((await up.svc(["jobs", "get", id])).stdout);
    assert.match(page, /Estimate: with 95 % confidence, the mean of all 2000 frames is in/);
    assert.match(page, new RegExp(`svc jobs finish ${id} scores the rest of the frames\\.`));
  });

  test("passes a gate only if the interval decides it", async () => {
    const { score: mean } = await jobOf(id);
    const gates = ["--fail-under", "vmaf.mean=1", "--fail-under", `vmaf.mean=${mean}`];
    const one = await up.svc(["jobs", "submit", ...pair, ...ESTIMATE, "--wait", ...gates]);
    assert.equal(one.code, 1, "undecided is not passed");
    assert.match(one.stdout, /^pass {2}vmaf\.mean/m);
    assert.match(one.stdout, /^undecided {2}vmaf\.mean \d+\.\d{6} to \d+\.\d{6} includes /m);
    const list = `reference,distorted\n${pair.join()}\n`;
    const args = ["jobs", "submit", "--from", "-", ...ESTIMATE, "--wait", ...gates];
    const many = await up.svc(args, { input: list });
    assert.equal(many.code, 1, many.stderr);
    assert.match(many.stdout, /undecided vmaf\.mean/);
    assert.match(many.stdout, /1 job: 1 succeeded \(1 undecided\)/);
  });

  test("is finished by a job with exactly the scores of a full run", async () => {
    const first = await up.svc(["jobs", "finish", id, "--wait", "--json", "--fail-under", "vmaf.p5=1"]);
    assert.equal(first.code, 0, first.stderr);
    const full = JSON.parse(first.stdout);
    assert.equal(full.finishes, id);
    const whole = JSON.parse((await score([...pair, "--json"])).stdout);
    sameResult(full.result, whole);
    const frames = (await up.svc(["jobs", "frames", full.id])).stdout;
    assert.equal(frames, (await score([...pair, "--csv", "-", "-q"])).stdout);
    const { low, high } = (await jobOf(id)).estimate;
    assert.ok(low <= whole.score && whole.score <= high);
    const scored = full.work.filter(({ kind }: { kind: string }) => kind === "SEGMENT");
    const total = scored.reduce((sum: number, { frameCount }: { frameCount: number }) => sum + frameCount, 0);
    assert.equal(total, FILM.frames);
    const again = await up.svc(["jobs", "finish", id]);
    assert.equal(again.stdout.trim(), full.id);
    assert.match(again.stderr, /finished before/);
    const refused = await up.svc(["jobs", "finish", full.id]);
    assert.equal(refused.code, 2);
    assert.match(refused.stderr, /JOB_NOT_ESTIMATED/);
  });

  test("is finished over REST, at an address that is the same each time", async () => {
    const post = () => fetch(`${up.rest}/v1/jobs/${id}:finish`, { method: "POST" });
    const [one, other] = [await post(), await post()];
    assert.equal(other.status, 200);
    assert.equal(one.headers.get("location"), other.headers.get("location"));
    assert.match(one.headers.get("location") ?? "", /^\/v1\/jobs\/[0-9a-f-]{36}$/);
  });

  test("is refused with the option that is wrong", async () => {
    const cases: readonly (readonly [readonly string[], RegExp])[] = [
      [["--estimate", "11"], /Use points, from 0\.05 to 10/],
      [["--seed", "1"], /--seed has no effect without --estimate/],
      [["--estimate", "1", "--subsample", "2"], /--subsample is 2/],
      [["--estimate", "1", "--wait", "--fail-under", "vmaf.p5=85"], /only the means of models: vmaf\.mean/],
    ];
    for (const [args, message] of cases) {
      const { code, stderr } = await up.svc(["jobs", "submit", ...pair, ...args]);
      assert.equal(code, 2, args.join(" "));
      assert.match(unwrapped(stderr), message);
    }
  });
});
