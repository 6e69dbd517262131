/** An embedded store on a full disk refuses clearly, loses nothing acknowledged, and continues when there is space. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { Connection } from "../../src/client/connection/connection.ts";
import { JobService } from "../../src/gen/proto/svc/v1/job_pb.ts";
import { Failure } from "../../src/platform/failure.ts";
import { freePort } from "../server/free-port.ts";
import { until, WAIT_LIMIT_MS } from "../waiting.ts";
import { Program } from "./program.ts";
import { empty, fill, smallDisk } from "./small-disk.ts";

/** An empty database takes some 60 MB. */
const DISK = "size=150m";
/** Jobs per submission. */
const BATCH = 200;
/** Submissions until the full disk must have been noticed; each writes more than 100 kB. */
const MOST = 500;

describe("a full disk", () => {
  let folder: string;
  let disk: string;
  let controller: Program;
  let connection: Connection;
  const acknowledged: string[] = [];

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "svc-disk-"));
    disk = join(folder, "disk");
    await mkdir(disk);
    const port = await freePort();
    connection = new Connection({ address: `127.0.0.1:${port}` });
    controller = new Program({
      name: "controller",
      command: smallDisk(disk, DISK),
      args: [
        ...["controller", "--auth-disabled", "--data-dir", join(disk, "data"), "--print-addresses"],
        ...["--port", "0", "--grpc-port", String(port), "--metrics-port", "0", "--log-format", "json"],
        // Only the disk refuses in this test.
        ...["--tenant-submits-per-second", "none"],
      ],
      env: {},
      log: join(folder, "log"),
    });
  });
  after(async () => {
    connection[Symbol.dispose]();
    await controller.kill();
    await rm(folder, { recursive: true });
  });

  const newKeys = () => Array.from({ length: BATCH }, (): string => randomUUID());

  /** Submits jobs, all or none; returns the failure, if there is one. Repeated with their keys they are stored once. */
  async function submit(keys: readonly string[]): Promise<Failure | undefined> {
    const jobs = keys.map((idempotencyKey) => ({
      job: { reference: "/media/reference.mp4", distorted: "/media/distorted.mp4", name: idempotencyKey },
      idempotencyKey,
    }));
    try {
      await connection.call(JobService.method.submitJobs, { jobs }, { timeoutMs: WAIT_LIMIT_MS });
      return undefined;
    } catch (error) {
      assert.ok(error instanceof Failure, String(error));
      return error;
    }
  }

  /**
   * Submits until the disk is full; returns the refused submissions. On a slow machine some may have timed out
   * instead.
   */
  async function untilFull(): Promise<readonly (readonly string[])[]> {
    const refused: (readonly string[])[] = [];
    for (let count = 0; count < MOST; count++) {
      const keys = newKeys();
      const failure = await submit(keys);
      if (failure === undefined) {
        acknowledged.push(...keys);
        continue;
      }
      refused.push(keys);
      assert.equal(failure.code, "STORE_UNAVAILABLE", failure.message);
      if (/No space left on device/.test(failure.message)) return refused;
      assert.match(failure.message, /no connection became free within/);
    }
    return assert.fail("the disk was never full");
  }

  async function names(): Promise<string[]> {
    const found: string[] = [];
    let pageToken = "";
    do {
      const page = await connection.call(JobService.method.listJobs, { pageSize: 500, pageToken });
      found.push(...page.jobs.map(({ spec }) => spec?.name ?? ""));
      pageToken = page.nextPageToken;
    } while (pageToken !== "");
    return found.toSorted();
  }

  test("refuses clearly, loses nothing, and continues", async () => {
    await controller.start();
    // First there is no space for rows; then there is space for rows but not for another file of the write-ahead log,
    // which stops the database at once.
    for (const left of [0, 8]) {
      await fill(controller.pid, disk, left);
      const refused = await untilFull();
      await empty(controller.pid, disk);
      for (const keys of refused) {
        await until(async () => (await submit(keys)) === undefined, "submissions to be accepted again");
        acknowledged.push(...keys);
      }
      assert.deepEqual(await names(), acknowledged.toSorted());
    }
    assert.equal(await controller.stop(), 0);
    assert.deepEqual(controller.unasked, []);
  });
});
