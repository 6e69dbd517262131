/** --worst-stills: for how many of a job's worst moments stills are made automatically. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { encode, LOSSY, pristine, SCENE } from "../media/clips.ts";
import { MediaDirectory } from "../media/directory.ts";
import { decode } from "../media/truth.ts";
import { ControllerProcess } from "../server/controller-process.ts";
import { type Job, JobsClient } from "../server/jobs-client.ts";
import type { Result } from "../server/rest-client.ts";
import { type SidePlanes, StillsClient, worstOf } from "../server/stills-client.ts";
import { SvcProcess, svc } from "../server/svc-process.ts";
import { until } from "../waiting.ts";

/** Room for five moments two seconds apart. */
const FILM = { ...SCENE, width: 160, height: 90, frames: 300 };

let directory: MediaDirectory;
let pair: { readonly reference: string; readonly distorted: string };
let planes: SidePlanes;

before(async () => {
  directory = await MediaDirectory.open();
  pair = {
    reference: await pristine(directory, "film.y4m", FILM),
    distorted: await encode(directory, "film.mp4", FILM, LOSSY.h264),
  };
  planes = {
    REFERENCE: await decode(directory, pair.reference, FILM),
    DISTORTED: await decode(directory, pair.distorted, FILM),
  };
});
after(() => directory.remove());

async function scored(jobs: JobsClient): Promise<Job> {
  const { id } = (await jobs.submit(pair)).body;
  await jobs.until(id, "SUCCEEDED");
  return (await jobs.get(id)).body;
}

const stillsWork = ({ work = [] }: Job) => work.filter(({ kind }) => kind === "STILLS");

test("with 2, a node makes stills of the two worst moments, and of requested frames", async () => {
  const dataDir = directory.file("two");
  await using controller = await ControllerProcess.start({ dataDir, args: ["--worst-stills", "2"] });
  await using node = new SvcProcess("node", {
    args: ["--controller", controller.grpc, "--metrics-port", "0", "--name", "one"],
  });
  await node.logged("registered");
  const jobs = await JobsClient.of(controller);
  const stills = new StillsClient(controller, jobs, planes);
  const { id } = await scored(jobs);
  const made = await stills.settled(id);
  const { body } = await jobs.call<Pick<Result, "frames">>("getJobFrames", `/v1/jobs/${id}/frames`);
  const worst = worstOf(body.frames, 2);
  assert.equal(worst.length, 2);
  assert.deepEqual([...new Set(made.map(({ frame }) => frame))], worst);
  await stills.exact(id, made);
  const third = worstOf(body.frames, 3).filter((frame) => !worst.includes(frame));
  assert.equal((await stills.ask(id, third)).status, 202);
  const all = await stills.settled(id);
  assert.equal(all.length, 6);
  await stills.exact(id, all);
});

test("with 0, no stills task is stored, the job doesn't change, and requested stills are made", async () => {
  const dataDir = directory.file("none");
  await using up = await ControllerProcess.up({ dataDir, env: { SVC_WORST_STILLS: "0" } });
  const jobs = await JobsClient.of(up);
  const stills = new StillsClient(up, jobs, planes);
  const ended = await scored(jobs);
  assert.deepEqual(stillsWork(ended), []);
  assert.deepEqual(await stills.list(ended.id), []);
  assert.equal((await stills.ask(ended.id, [7])).status, 202);
  const made = await stills.settled(ended.id);
  assert.deepEqual(
    made.map(({ frame, side }) => [frame, side]),
    [
      [7, "REFERENCE"],
      [7, "DISTORTED"],
    ],
  );
  await stills.exact(ended.id, made);
  await until(async () => (await jobs.get(ended.id)).body.revision > ended.revision, "the change");
  const shown = (await jobs.get(ended.id)).body;
  assert.equal(shown.revision, ended.revision + 1, "one change: the requested stills");
  assert.deepEqual(
    stillsWork(shown).map(({ state }) => state),
    ["DONE"],
  );
});

describe("refuses other values than whole numbers from 0 to 5 with exit code 2", () => {
  const refused: readonly (readonly [command: readonly string[], value: string])[] = [
    [["controller", "--auth-disabled"], "6"],
    [["controller", "--auth-disabled"], "-1"],
    [["up"], "6"],
    [["up"], "1.5"],
    [["up"], "all"],
  ];
  for (const [command, value] of refused) {
    test(`svc ${command.join(" ")} --worst-stills ${value}`, async () => {
      const { code, stderr } = await svc([...command, "--worst-stills", value]);
      assert.equal(code, 2);
      assert.ok(stderr.includes(`--worst-stills: "${value}" is not a whole number from 0 to 5.`), stderr);
    });
  }
});
