/** The database or the controller is down for longer than a lease; the node's work meanwhile must count. */
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, afterEach, before, beforeEach, describe, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { Connection } from "../../src/client/connection/connection.ts";
import { type Job, Job_State, JobService } from "../../src/gen/proto/svc/v1/job_pb.ts";
import { MediaDirectory } from "../media/directory.ts";
import { until } from "../waiting.ts";
import { Installation } from "./installation.ts";
import { type ChaosMedia, type GoodPair, makeMedia } from "./media.ts";
import { scorersBelow } from "./processes.ts";
import { type ChaosStore, openChaosStore, sent } from "./stores.ts";

/** A node that is frozen for some seconds keeps its lease; two leases pass during an outage. */
const LEASE_SECONDS = 20;

describe("an outage longer than a lease", () => {
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
    installation = await Installation.start(folder, store, { leaseSeconds: LEASE_SECONDS });
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

  /** Submits the pair, again if it was scored too quickly; returns a job whose scorers are paused. */
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
   * Takes a component down while scorers run, and brings it back when they have ended and two leases have passed, so
   * that all results were produced during the outage.
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
   * No task that a node had started was started again. (A task whose lease was granted as the controller died, so that
   * no node received it, is leased again and counts as a retry.)
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

  test("of the database loses no work", async () => {
    const { database } = store;
    assert.ok(database);
    assertKept(
      await scoreWithout(
        () => database.stopAtOnce(),
        () => database.start(),
      ),
    );
  });

  test("of the controller loses no work", async () => {
    const { controller } = installation;
    assertKept(
      await scoreWithout(
        () => controller.kill(),
        async () => void (await controller.start()),
      ),
    );
  });
});
