/** `svc media ls`: tables, JSON lines and refusals, also of names that would change the terminal. */
import assert from "node:assert/strict";
import { mkdir, mkdtemp, realpath, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { type Ended, SVC, start } from "../cli/program.ts";
import { ControllerProcess } from "../server/controller-process.ts";

let directory: string;
let media: string;
let controller: ControllerProcess;
before(async () => {
  directory = await realpath(await mkdtemp(join(tmpdir(), "svc-media-ls-")));
  media = join(directory, "media");
  await mkdir(join(media, "encodes"), { recursive: true });
  await writeFile(join(media, "film.mov"), Buffer.alloc(1_234_567));
  await writeFile(join(media, "\u202etxet.mov"), "");
  await utimes(join(media, "film.mov"), 1e9, 1e9);
  for (let index = 0; index < 600; index++) await writeFile(join(media, "encodes", `${index}.mp4`), "");
  const dataDir = join(directory, "data");
  controller = await ControllerProcess.start({ dataDir, args: ["--media-root", media] });
});
after(async () => {
  await controller[Symbol.asyncDispose]();
  await rm(directory, { recursive: true });
});

function ls(...args: readonly string[]): Promise<Ended> {
  return start(SVC, ["media", "ls", ...args, "--server", controller.grpc]).ended();
}

test("lists roots, and a folder with sizes and times", async () => {
  assert.match((await ls()).stdout, new RegExp(`^ +- +- +${media}/$`, "m"));
  const { code, stdout } = await ls(media);
  assert.equal(code, 0);
  assert.match(stdout, /^ *SIZE +CHANGED +NAME$/m);
  assert.match(stdout, new RegExp(`^1.23 MB +2001-09-09 01:46:40Z +${media}/film.mov$`, "m"));
  assert.match(stdout, new RegExp(`^ +- +- +${media}/encodes/$`, "m"));
  assert.doesNotMatch(stdout, /\u202e/);
});

test("prints every page, one entry per line with --json", async () => {
  const { stdout } = await ls(join(media, "encodes"), "--json");
  const entries = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { name: string; kind: string });
  assert.equal(new Set(entries.map(({ name }) => name)).size, 600);
  assert.ok(entries.every(({ kind }) => kind === "FILE"));
});

test("refuses what is outside or missing, with exit code 2", async () => {
  for (const [under, refusal] of [
    ["/etc", /PATH_NOT_ALLOWED/],
    [join(media, "none"), /MEDIA_NOT_FOUND/],
    ["s3://videos/", /URL_NOT_ALLOWED/],
    ["https://media.example/", /INVALID_REQUEST/],
  ] as const) {
    const { code, stderr } = await ls(under);
    assert.equal(code, 2, stderr);
    assert.match(stderr, refusal);
  }
});
