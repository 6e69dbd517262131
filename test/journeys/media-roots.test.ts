/** Tenants' media roots, from outside: a controller and a node with different ones, and `svc up`. */
import assert from "node:assert/strict";
import { copyFile, mkdir, symlink } from "node:fs/promises";
import { dirname } from "node:path";
import { after, before, describe, test } from "node:test";
import { type Clips, makeClips } from "../server/clips.ts";
import { ControllerProcess } from "../server/controller-process.ts";
import { JobsClient } from "../server/jobs-client.ts";
import { type Result, score } from "../server/rest-client.ts";
import { SvcProcess, svc } from "../server/svc-process.ts";

interface Pair {
  readonly reference: string;
  readonly distorted: string;
}

let clips: Clips;
/** Without authentication every caller is tenant dev. */
let own: { readonly films: Pair; readonly drafts: Pair };
let others: Pair;
before(async () => {
  clips = await makeClips();
  own = { films: await copyOf("dev/films"), drafts: await copyOf("dev/drafts") };
  others = await copyOf("acme/films");
  await symlink(others.distorted, file("dev/films/link.mp4"));
  await symlink(dirname(others.distorted), file("dev/films/folder"));
});
after(() => clips[Symbol.asyncDispose]());

function file(name: string): string {
  return clips.directory.file(`media/${name}`);
}

async function copyOf(directory: string): Promise<Pair> {
  const pair = { reference: file(`${directory}/r.y4m`), distorted: file(`${directory}/d.mp4`) };
  await mkdir(file(directory), { recursive: true });
  await copyFile(clips.pair.reference, pair.reference);
  await copyFile(clips.pair.distorted, pair.distorted);
  return pair;
}

/** Paths outside the roots of tenant dev, existing ones first. */
function outside(): string[] {
  return [
    ...[others.distorted, clips.pair.distorted, file("dev/films/link.mp4"), file("dev/films/folder/d.mp4")],
    ...[`${file("dev")}/../acme/films/d.mp4`, "/etc/passwd"],
    ...[
      file("acme/films/none.mp4"),
      file("dev/films/folder/none.mp4"),
      file("dev/../none.mp4"),
      "/no/none.mp4",
    ],
    ...["d.mp4", file("{tenant}/d.mp4")],
  ];
}

describe("a controller and a node", () => {
  let controller: ControllerProcess;
  let node: SvcProcess;
  let jobs: JobsClient;
  before(async () => {
    controller = await ControllerProcess.start({
      dataDir: clips.directory.file("data"),
      args: ["--media-root", file("{tenant}")],
    });
    node = new SvcProcess("node", {
      args: ["--controller", controller.grpc, "--metrics-port", "0", "--media-root", file("{tenant}/films")],
    });
    await node.logged("registered");
    jobs = await JobsClient.of(controller);
  });
  after(async () => {
    await node[Symbol.asyncDispose]();
    await controller[Symbol.asyncDispose]();
  });

  test("score files inside the tenant's roots", async () => {
    const { status, body } = await jobs.submit(own.films);
    assert.equal(status, 201);
    assert.ok(((await jobs.until(body.id, "SUCCEEDED")).score ?? 0) > 0);
  });

  test("refuse files outside immediately, equally whether or not they exist, and store nothing", async () => {
    const stored = (await jobs.list()).body.jobs.length;
    for (const distorted of outside()) {
      const spec = { ...own.films, distorted };
      for (const { status, body } of [
        await jobs.submit(spec),
        await jobs.submit({ reference: distorted, distorted: own.films.distorted }),
        await jobs.post<Result>("score", "/v1/score", spec),
      ]) {
        assert.deepEqual([status, body.code, body.found], [403, "PATH_NOT_ALLOWED", undefined], distorted);
      }
    }
    assert.equal((await jobs.list()).body.jobs.length, stored);
  });

  test("refuse a whole batch, and name the faulty job", async () => {
    const stored = (await jobs.list()).body.jobs.length;
    const batch = { jobs: [{ job: own.films }, { job: { ...own.films, distorted: others.distorted } }] };
    const { status, body } = await jobs.post("submitJobs", "/v1/jobs:batch", batch);
    assert.deepEqual([status, body.code, body.found], [403, "PATH_NOT_ALLOWED", { index: 1 }]);
    assert.match(body.detail, /^jobs\[1\]: /);
    assert.equal((await jobs.list()).body.jobs.length, stored);
  });

  test("refuse over gRPC too", async () => {
    const args = ["jobs", "submit", own.films.reference, others.distorted, "--server", controller.grpc];
    const { code, stdout, stderr } = await svc(args);
    assert.notEqual(code, 0);
    assert.equal(stdout, "");
    assert.match(stderr, /^error: [\s\S]*\[PATH_NOT_ALLOWED\]$/m);
  });

  test("report a missing file inside the roots when a node opens it", async () => {
    const { status, body } = await jobs.submit({ ...own.films, distorted: file("dev/films/none.mp4") });
    assert.equal(status, 201);
    assert.equal((await jobs.until(body.id, "FAILED")).error?.code, "MEDIA_NOT_FOUND");
  });

  test("respect the node's narrower roots: the job fails on its first attempt", async () => {
    const { status, body } = await jobs.submit(own.drafts);
    assert.equal(status, 201);
    const { error, retries } = await jobs.until(body.id, "FAILED");
    assert.deepEqual([error?.code, retries], ["PATH_NOT_ALLOWED", 0]);
  });
});

test("svc up enforces its roots for jobs and scores", async () => {
  const args = ["--media-root", file("{tenant}")];
  await using up = await ControllerProcess.up({ dataDir: clips.directory.file("up"), args });
  assert.equal((await score(up, own.drafts)).status, 200);
  const { status, body } = await score(up, { ...own.drafts, distorted: others.distorted });
  assert.deepEqual([status, body.code], [403, "PATH_NOT_ALLOWED"]);
});

describe("on the command line", () => {
  for (const [name, args, stderr] of [
    ["svc server has no tenants", ["server", "--media-root", "/{tenant}"], /svc server has no tenants/],
    [
      "svc node needs what is above {tenant}",
      ["node", "--media-root", "/no/x-{tenant}/y"],
      /"\/no" does not exist/,
    ],
    ["so does svc up", ["up", "--media-root", "/etc/passwd/{tenant}"], /"\/etc\/passwd" is not a directory/],
  ] as const) {
    test(name, async () => {
      const ended = await svc(args);
      assert.equal(ended.code, 2);
      assert.match(ended.stderr, /--media-root: /);
      assert.match(ended.stderr, stderr);
      assert.equal(ended.stdout, "");
    });
  }
});
