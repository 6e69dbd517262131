/** Jobs that only diagnose their pair, on a real `svc up`: the diagnosis of svc doctor, found out by a node. */
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { after, before, describe, test } from "node:test";
import { SVC, start } from "../cli/program.ts";
import { Up } from "../cli/up.ts";
import { encode, LOSSY, pristine, SCENE } from "../media/clips.ts";
import { MediaDirectory } from "../media/directory.ts";
import { JobsClient } from "../server/jobs-client.ts";

const FILM = { ...SCENE, width: 160, height: 90, frames: 75 };
/** Frames of the reference that the distorted video lacks. */
const LOST = 3;

let media: MediaDirectory;
let reference: string;
let late: string;
let clean: string;
let up: Up;
let jobs: JobsClient;
before(async () => {
  media = await MediaDirectory.open();
  reference = await pristine(media, "film.y4m", FILM);
  const filters = `trim=start_frame=${LOST},setpts=PTS-STARTPTS`;
  late = await encode(media, "late.mp4", { ...FILM, frames: FILM.frames + LOST, filters }, LOSSY.h264);
  clean = await encode(media, "clean.mp4", FILM, LOSSY.h264);
  up = await Up.start();
  jobs = await JobsClient.of(up);
});
after(async () => {
  await up[Symbol.asyncDispose]();
  assert.deepEqual(await media.leftovers(), []);
  await media.remove();
});

/** Submits a pair with --diagnose and waits; returns its id too. */
async function diagnosed(distorted: string, ...more: string[]) {
  const ended = await up.svc(["jobs", "submit", reference, distorted, "--diagnose", "--wait", ...more]);
  return { ...ended, id: /^Job (\S+)$/m.exec(ended.stderr)?.[1] ?? "" };
}

describe("a job that only diagnoses", () => {
  test("prints and ends as svc doctor does, with the command that repairs the pair as a job", async () => {
    const { code, stdout, stderr, id } = await diagnosed(late);
    assert.equal(code, 1, stderr);
    assert.match(stdout, /^OFFSET \(certain\)$/m);
    assert.ok(stdout.includes(`  svc jobs submit ${reference} ${late} --offset -${LOST}\n`), stdout);
    const page = await up.svc(["jobs", "get", id]);
    assert.deepEqual([page.code, page.stdout], [0, stdout]);
  });

  test("has the diagnosis of svc doctor, and no score", async () => {
    const { id = "" } = (await jobs.list()).body.jobs[0] ?? {};
    const { body } = await jobs.get(id);
    const here = await start(SVC, ["doctor", reference, late, "--json"]).ended();
    const { diagnosis, ...job } = body as typeof body & { readonly diagnosis: object };
    assert.deepEqual({ ...diagnosis, durationMs: 0 }, { ...JSON.parse(here.stdout), durationMs: 0 });
    const { state, score, result, segmentsTotal } = job;
    assert.deepEqual([state, score, result, segmentsTotal], ["SUCCEEDED", undefined, undefined, 0]);
    assert.deepEqual(
      job.work?.map(({ kind, state: task }) => [kind, task]),
      [["PLAN", "DONE"]],
    );
    const { codec, width, height } = job.distortedMedia as Readonly<Record<string, unknown>>;
    assert.deepEqual([codec, width, height], ["h264", FILM.width, FILM.height]);
  });

  test("ends with 0 if nothing is wrong", async () => {
    const { code, stdout, stderr } = await diagnosed(clean);
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^Nothing is wrong with the pair/);
  });

  test("fails for a video that cannot be read, with the code of a score", async () => {
    const broken = media.file("broken.mp4");
    await writeFile(broken, "no video");
    const { code, stderr } = await diagnosed(broken);
    assert.equal(code, 2, stderr);
    assert.match(stderr, /\[MEDIA_UNSUPPORTED\]/);
  });

  test("can be one of a list, whose summary says what is wrong", async () => {
    const lines = [late, clean].map((distorted) =>
      JSON.stringify({ reference, distorted, diagnoseOnly: true }),
    );
    const args = ["jobs", "submit", "--from", "-", "--wait"];
    const { code, stdout } = await up.svc(args, { input: lines.join("\n") });
    assert.equal(code, 1);
    assert.match(stdout, /late\.mp4 +SUCCEEDED +- +OFFSET$/m);
    assert.match(stdout, /clean\.mp4 +SUCCEEDED +- +nothing wrong$/m);
    assert.match(stdout, /^2 jobs: 2 succeeded \(1 with findings\)$/m);
  });

  test("has no frames, no stills and no rest to score", async () => {
    const [job] = (await jobs.list("?state=SUCCEEDED")).body.jobs;
    const id = job?.id ?? assert.fail("no job was diagnosed");
    const answers = [
      await jobs.call("getJobFrames", `/v1/jobs/${id}/frames`),
      await jobs.post("requestStills", `/v1/jobs/${id}/stills`, { frames: [0] }),
      await jobs.call("finishJob", `/v1/jobs/${id}:finish`, { method: "POST" }),
    ];
    for (const { status, body } of answers) assert.deepEqual([status, body.code], [409, "JOB_NOT_SCORED"]);
    const rescored = await up.svc(["jobs", "rescore", id, "--model", "vmaf_v0.6.1neg"]);
    assert.equal(rescored.code, 2);
    assert.match(rescored.stderr, /\[JOB_NOT_SCORED\]/);
  });

  test("is refused with options of a score", async () => {
    const fixed = await diagnosed(late, "--fix");
    assert.equal(fixed.code, 2);
    assert.match(fixed.stderr, /--fix has no effect on a diagnosis: leave it out, or --diagnose\./);
    const gated = await diagnosed(late, "--fail-under", "vmaf.mean=93");
    assert.equal(gated.code, 2);
    assert.match(gated.stderr, /--fail-under needs a score/);
  });
});
