/** Videos of another machine: uploads through cut connections and a killed controller, by tus and by the command line. */
import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { after, before, describe, test } from "node:test";
import { Upload } from "tus-js-client";
import { Up } from "../cli/up.ts";
import { draw, LOSSY } from "../media/clips.ts";
import { MediaDirectory } from "../media/directory.ts";
import { ffmpeg } from "../media/ffmpeg.ts";
import { Cutter } from "../server/cutter.ts";

const MIB = 2 ** 20;
/** Connections that are cut, each after as many bytes. */
const CUTS = 10;
const CUT_AFTER = 3 * MIB;

let directory: MediaDirectory;
let up: Up;
before(async () => {
  directory = await MediaDirectory.open();
  up = await Up.start();
});
after(async () => {
  await up[Symbol.asyncDispose]();
  await directory.remove();
});

interface StoredUpload {
  readonly id: string;
  readonly name: string;
  readonly size: number;
  readonly offset: number;
  readonly path: string;
}

async function uploads(): Promise<readonly StoredUpload[]> {
  const { uploads: all } = (await (await fetch(`${up.rest}/v1/uploads`)).json()) as {
    uploads: StoredUpload[];
  };
  return all;
}

async function named(name: string): Promise<StoredUpload> {
  return (await uploads()).find((upload) => upload.name === name) ?? assert.fail(name);
}

async function digest(path: string): Promise<string> {
  return createHash("sha256")
    .update(await readFile(path))
    .digest("hex");
}

/** Writes a file of random bytes. */
async function file(name: string, bytes: number): Promise<string> {
  await writeFile(directory.file(name), randomBytes(bytes));
  return directory.file(name);
}

describe("a file arrives whole", () => {
  test("by tus, over connections that are cut ten times", async () => {
    await using cutter = await Cutter.open(new URL(up.rest).host, CUTS, CUT_AFTER);
    const data = randomBytes(48 * MIB);
    await new Promise<void>((resolve, reject) => {
      new Upload(data, {
        endpoint: `http://${cutter.address}/v1/uploads`,
        chunkSize: 8 * MIB,
        retryDelays: Array.from({ length: 2 * CUTS }, () => 10),
        metadata: { filename: "tus ä.mov", filetype: "video/quicktime" },
        onSuccess: () => resolve(),
        onError: reject,
      }).start();
    });
    assert.equal(cutter.cuts, CUTS);
    const { path } = await named("tus ä.mov");
    assert.equal(await digest(path), createHash("sha256").update(data).digest("hex"));
  });

  test("by svc uploads add, over connections that are cut ten times", async () => {
    await using cutter = await Cutter.open(up.server, CUTS, CUT_AFTER);
    const path = await file("cut.mov", 48 * MIB);
    const { code, stdout, stderr } = await up.svc(["uploads", "add", path, "--server", cutter.address]);
    assert.equal(code, 0, stderr);
    assert.equal(cutter.cuts, CUTS);
    assert.equal(await digest(stdout.trim()), await digest(path));
  });

  test("by svc uploads add, while the controller is killed and starts again", async () => {
    const path = await file("killed.mov", 96 * MIB);
    await using sending = up.start(["uploads", "add", path]);
    while ((await uploads()).every(({ name, offset }) => name !== "killed.mov" || offset === 0));
    await up.restart();
    const { code, stdout, stderr } = await sending.ended();
    assert.equal(code, 0, stderr);
    assert.equal(await digest(stdout.trim()), await digest(path));
  });

  test("by the next svc uploads add, if the first one was killed", async () => {
    const path = await file("again.mov", 96 * MIB);
    await using killed = up.start(["uploads", "add", path]);
    while ((await uploads()).every(({ name, offset }) => name !== "again.mov" || offset === 0));
    killed.child.kill("SIGKILL");
    await killed.ended();
    const { offset } = await named("again.mov");
    assert.ok(offset < 96 * MIB);
    const next = await up.svc(["uploads", "add", path]);
    assert.match(next.stderr, /again\.mov: upload resumed and completed \(101 MB\)/);
    assert.equal(await digest(next.stdout.trim()), await digest(path));
    assert.match((await up.svc(["uploads", "add", path])).stderr, /was uploaded before/);
    await writeFile(path, "changed");
    assert.match((await up.svc(["uploads", "add", path])).stderr, /again\.mov: uploaded \(7 B\)/);
  });
});

describe("svc jobs submit --upload", () => {
  let pair: [string, string];
  before(async () => {
    pair = [directory.file("source.mp4"), directory.file("encode.mp4")];
    await ffmpeg([...draw(), "-c:v", "libx264", "-qp", "0", pair[0]]);
    await ffmpeg([...draw(), ...LOSSY.h264, pair[1]]);
  });

  test("scores the uploaded files exactly as svc score does", async () => {
    const { code, stdout, stderr } = await up.svc([
      "jobs",
      "submit",
      "--upload",
      ...pair,
      "--wait",
      "--json",
    ]);
    assert.equal(code, 0, stderr);
    const local = await up.svc(["score", ...pair, "--json"]);
    const [far, near] = [stdout, local.stdout].map((text) => JSON.parse(text));
    assert.deepEqual((far.result ?? far).pooled, near.pooled);
    const { id } = await named("source.mp4");
    const listed = await up.svc(["uploads", "list"]);
    assert.match(listed.stdout, new RegExp(`${id} .*100 % .*/source\\.mp4`));
    assert.equal((await up.svc(["uploads", "delete", id])).code, 0);
    assert.ok((await uploads()).every((upload) => upload.id !== id));
  });

  test("takes a list, and sends each file once", async () => {
    const rows = `reference,distorted\n${pair[0]},${pair[1]}\n${pair[0]},encode.mp4\n`;
    await writeFile(directory.file("pairs.csv"), rows);
    const args = ["jobs", "submit", "--upload", "--from", directory.file("pairs.csv")];
    const { code, stdout, stderr } = await up.svc(args);
    assert.equal(code, 0, stderr);
    assert.equal(stdout.trim().split("\n").length, 2);
    assert.equal((await uploads()).filter(({ name }) => name === "encode.mp4").length, 1);
  });

  test("submits nothing and sends nothing if a file is missing, empty or a folder", async () => {
    await writeFile(directory.file("empty.mp4"), "");
    const before = await uploads();
    for (const [wrong, code] of [
      [directory.file("none.mp4"), "MEDIA_NOT_FOUND"],
      [directory.file("empty.mp4"), "MEDIA_NO_FRAMES"],
      [directory.path, "MEDIA_NOT_A_FILE"],
    ] as const) {
      const ended = await up.svc(["jobs", "submit", "--upload", await file("new.mp4", 10), wrong]);
      assert.deepEqual([ended.code, ended.stdout], [2, ""]);
      assert.match(ended.stderr, new RegExp(code));
    }
    assert.deepEqual(await uploads(), before);
    const both = await up.svc(["jobs", "submit", "--upload", "--remote-files", ...pair]);
    assert.match(both.stderr, /--upload or --remote-files, not both/);
  });
});
