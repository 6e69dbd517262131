/** Which files jobs may name. Checked at submission, before anything is stored; the first invalid job is reported. */
import assert from "node:assert/strict";
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { create } from "@bufbuild/protobuf";
import { insideRoots, noFile } from "../../src/controller/requests/media-policy.ts";
import { MediaRoots } from "../../src/engine/files/roots.ts";
import { ListJobsRequestSchema, SubmitJobsRequestSchema } from "../../src/gen/proto/svc/v1/job_pb.ts";
import { caller } from "./peer.ts";
import { refused, System, submission } from "./system.ts";

async function jobsOf(system: System, tenant: string): Promise<number> {
  const { jobs } = await system.jobs.listJobs(create(ListJobsRequestSchema), caller(tenant));
  return jobs.length;
}

describe("media roots of tenants", () => {
  let media: string;
  let system: System;
  before(async () => {
    media = await realpath(await mkdtemp(join(tmpdir(), "svc-media-")));
    for (const tenant of ["a", "b"]) {
      await mkdir(join(media, tenant));
      await writeFile(join(media, tenant, "film.mp4"), "x");
    }
    await symlink(join(media, "b/film.mp4"), join(media, "a/link.mp4"));
    system = await System.open({ media: insideRoots(new MediaRoots([join(media, "{tenant}")])) });
  });
  after(async () => {
    await system.close();
    await rm(media, { recursive: true });
  });

  const pair = (reference: string, distorted: string) => ({
    reference: join(media, reference),
    distorted: join(media, distorted),
  });

  test("accept paths inside, also of files that do not exist yet", async () => {
    await system.submit("a", pair("a/film.mp4", "a/later.mp4"));
    await system.submit("b", pair("b/film.mp4", "b/film.mp4"));
    assert.deepEqual([await jobsOf(system, "a"), await jobsOf(system, "b")], [1, 1]);
  });

  test("refuse paths outside with the same words whether or not they exist, on either side", async () => {
    const stored = await jobsOf(system, "a");
    const messages = new Set<string>();
    for (const outside of [
      "b/film.mp4",
      "b/none.mp4",
      "a/link.mp4",
      "a/../b/film.mp4",
      "../none.mp4",
      "a-2/x",
    ]) {
      for (const spec of [pair("a/film.mp4", outside), pair(outside, "a/film.mp4")]) {
        const { message, found } = await refused(system.submit("a", spec), "PATH_NOT_ALLOWED");
        assert.equal(found, undefined);
        messages.add(message.replace(JSON.stringify(join(media, outside)), "PATH"));
      }
    }
    assert.equal(messages.size, 1, [...messages].join("\n"));
    assert.equal(await jobsOf(system, "a"), stored);
  });

  test("refuse a batch for one job outside, and name it", async () => {
    const stored = await jobsOf(system, "a");
    const inside = submission(pair("a/film.mp4", "a/film.mp4"));
    const outside = submission(pair("a/film.mp4", "b/film.mp4"));
    const batch = create(SubmitJobsRequestSchema, { jobs: [inside, inside, outside, outside] });
    const { message, found } = await refused(system.jobs.submitJobs(batch, caller("a")), "PATH_NOT_ALLOWED");
    assert.match(message, /^jobs\[2\]: ".*\/b\/film\.mp4" is not inside a media root\./);
    assert.deepEqual(found, { index: 2 });
    assert.equal(await jobsOf(system, "a"), stored);
  });

  test("refuse a repeated key like a new job", async () => {
    await system.submit("a", pair("a/film.mp4", "a/film.mp4"), "key");
    await refused(system.submit("a", pair("a/film.mp4", "b/film.mp4"), "key"), "PATH_NOT_ALLOWED");
  });
});

test("an authenticated controller without media roots refuses every path, existing or not", async () => {
  const system = await System.open({ media: noFile });
  try {
    for (const path of [import.meta.filename, "/no/such/file", "relative.mp4"]) {
      const spec = { reference: path, distorted: path };
      const { message } = await refused(system.submit("a", spec), "PATH_NOT_ALLOWED");
      assert.match(message, /--media-root/);
    }
    assert.equal(await jobsOf(system, "a"), 0);
  } finally {
    await system.close();
  }
});
