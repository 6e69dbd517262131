/** The database, or the controller itself, goes away for longer than a lease: what the node does meanwhile counts. */
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, afterEach, before, beforeEach, describe, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { Connection } from "../../src/client/connection.ts";
import { type Job, Job_State, JobService } from "../../src/gen/proto/svc/v1/job_pb.ts";
import { MediaDirectory } from "../media/directory.ts";
import { until } from "../waiting.ts";
import { Installation } from "./installation.ts";
import { type ChaosMedia, type GoodPair, makeMedia } from "./media.ts";
import { scorersBelow } from "./processes.ts";
import { type ChaosStore, openChaosStore, sent } from "./stores.ts";

/** A node that stands still for some seconds keeps its lease; two of them pass while something is away. */
const LEASE_SECONDS = 20;

describe("away for longer than a lease", () => {
  let media: MediaDirectory;
  let clips: ChaosMedia;
  let folder: string;
  let store: ChaosStore;
  let installation: Installation;
  let connection: Connection;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "svc-away-"));
    media = await MediaDirectory.open();
    clips = await makeMedia(media);
  });
  after(async () => {
    await media.remove();
    await rm(folder, { recursive: true });
  });
  beforeEach(async () => {
    store = await openChaosStore("postgres", folder);
    installation = await Installation.start(folder, store, LEASE_SECONDS);
    connection = new Connection({ address: installation.grpc });
  });
  afterEach(async () => {
    connection[Symbol.dispose]();
    await installation.killAll();
    await store.close();
  });

  const scorersNow = () => installation.nodes.flatMap(({ pid }) => scorersBelow(pid));

  async function jobOf(id: string): Promise<Job> {
    const { job } = await connection.call(JobService.method.getJob, { id });
    assert.ok(job);
    return job;
  }

  /** Submits the pair, and another time where that was scored before anybody saw: a job, and its scorers held still. */
  async function heldJob({
    reference,
    distorted,
  }: GoodPair): Promise<{ job: Job; scorers: readonly number[] }> {
    for (;;) {
      const { job } = await connection.call(JobService.method.submitJob, { job: { reference, distorted } });
      assert.ok(job);
      let scorers: readonly number[] = [];
      await until(async () => {
        scorers = scorersNow().filter((pid) => sent(pid, "SIGSTOP"));
        return scorers.length > 0 || (await jobOf(job.id)).endTime !== undefined;
      }, "a scorer to run");
      if (scorers.length > 0) return { job, scorers };
      assert.equal((await jobOf(job.id)).state, Job_State.SUCCEEDED, installation.logs());
    }
  }

  /**
   * Takes something away while scorers run, and gives it back when they have ended and two leases
   * have passed: all of their results were made in its absence.
   */
  async function scoreWithout(take: () => Promise<void>, giveBack: () => Promise<void>): Promise<Job> {
    const [pair] = clips.good;
    assert.ok(pair);
    const { job, scorers } = await heldJob(pair);
    await take().finally(() => scorers.map((pid) => sent(pid, "SIGCONT")));
    await Promise.all([
      delay(2 * installation.leaseMs),
      until(() => scorersNow().length === 0, "the scorers to end"),
    ]);
    await giveBack();
    let ended = job;
    await until(
      async () => {
        ended = await jobOf(job.id).catch(() => ended);
        return ended.endTime !== undefined;
      },
      () => `the job to end: ${installation.logs()}`,
    );
    assert.equal(ended.score, pair.truth.score);
    return ended;
  }

  /**
   * No node did a piece of work that a node had begun before. (Work whose lease was granted as the
   * controller died, so that no node heard of it, is given out again and counts as a retry.)
   */
  function assertKept({ id, state }: Job): void {
    assert.equal(state, Job_State.SUCCEEDED);
    const begun = installation.lines("task started").filter(({ jobId }) => jobId === id);
    const items = begun.map(({ itemId }) => itemId);
    assert.ok(items.length > 1);
    assert.deepEqual(items, [...new Set(items)], installation.logs());
    assert.deepEqual(
      installation.programs.flatMap(({ unasked }) => unasked),
      [],
    );
  }

  test("the database", async () => {
    const { database } = store;
    assert.ok(database);
    assertKept(
      await scoreWithout(
        () => database.stopAtOnce(),
        () => database.start(),
      ),
    );
  });

  test("the controller", async () => {
    const { controller } = installation;
    assertKept(
      await scoreWithout(
        () => controller.kill(),
        async () => void (await controller.start()),
      ),
    );
  });
});
