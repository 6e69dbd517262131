/** `svc migrate` as called by an operator. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { openStore } from "../../src/store/open.ts";
import { type Ended, SVC, start } from "../cli/program.ts";
import { SharedDatabase } from "./postgres-server.ts";
import { newJob, preparedTarget, SILENT } from "./stores.ts";

describe("svc migrate", () => {
  test("creates the schema, and reports if it is up to date", async () => {
    await using database = await SharedDatabase.empty();
    const { url } = database;
    const first = await svc(["migrate", "--database-url", url]);
    assert.deepEqual([first.code, first.stderr], [0, ""]);
    assert.match(first.stdout, /^applied 0001_jobs\.sql\n/);
    const again = await svc(["migrate", "--database-url", url]);
    assert.deepEqual([again.code, again.stdout], [0, "The schema is up to date.\n"]);
  });

  test("copies an installation once, and does not change the old one", async () => {
    const { target, remove } = await preparedTarget();
    const old = await openStore(target, SILENT);
    const job = newJob();
    await old.insertJobs("t", [job]);
    await using database = await SharedDatabase.empty();
    const { url } = database;
    const busy = await svc(["migrate", "--from", target.dataDir, "--to", url]);
    assert.equal(busy.code, 1);
    assert.match(busy.stderr, new RegExp(`in use by process ${process.pid}\\b`));
    await old.close();
    const moved = await svc(["migrate", "--from", target.dataDir, "--to", url]);
    assert.deepEqual([moved.code, moved.stderr], [0, ""]);
    assert.match(moved.stdout, /copied 1 rows of job\ncopied 1 rows of work\n/);
    const again = await svc(["migrate", "--from", target.dataDir, "--to", url]);
    assert.equal(again.code, 1);
    assert.match(again.stderr, /nothing was copied/);
    for (const place of [target, { databaseUrl: url }]) {
      const store = await openStore(place, SILENT);
      assert.equal((await store.job("t", job.id))?.state, "QUEUED");
      await store.close();
    }
    await remove();
  });

  test("reports errors of the command line without printing a password", async () => {
    const wrong = [
      [],
      ["--from", "/nowhere"],
      ["--to", "postgres://localhost/x"],
      ["--from", "/a", "--to", "postgres://a/x", "--database-url", "postgres://b/x"],
    ];
    for (const args of wrong) {
      const { code, stderr } = await svc(["migrate", ...args]);
      assert.equal(code, 2, args.join(" "));
      assert.match(stderr, /migrate/);
    }
    const { code, stderr } = await svc(["migrate", "--database-url", "postgres://u:s3cret@127.0.0.1:1/x"]);
    assert.equal(code, 1);
    assert.match(stderr, /ECONNREFUSED/);
    const odd = await svc(["migrate", "--database-url", "mysql://u:s3cret@127.0.0.1/x"]);
    assert.equal(odd.code, 1);
    for (const said of [stderr, odd.stderr]) assert.ok(!said.includes("s3cret"), said);
  });
});

async function svc(args: readonly string[]): Promise<Ended> {
  await using running = start(SVC, args);
  return await running.ended();
}
