/** `svc media ls`: tables, JSON lines and refusals, also of names that would change the terminal. */
import assert from "node:assert/strict";
import { mkdir, mkdtemp, realpath, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { type Ended, SVC, start } from "../cli/program.ts";
import { encode, LOSSY } from "../media/clips.ts";
import { MediaDirectory } from "../media/directory.ts";
import { ControllerProcess } from "../server/controller-process.ts";

let directory: string;
let media: string;
let controller: ControllerProcess;
let films: MediaDirectory;
before(async () => {
  films = await MediaDirectory.open();
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
  await films.remove();
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

test("--probe shows what headers say, or that the controller does not probe", async () => {
  const without = await ls(media, "--probe");
  assert.deepEqual([without.code, without.stderr], [0, "The controller does not probe files.\n"]);
  assert.match(without.stdout, /^ *SIZE +CHANGED +VIDEO +NAME$/m);
  await encode(films, "film.mp4", { width: 160, height: 90, frames: 50 }, LOSSY.h264);
  await writeFile(films.file("text.mp4"), "text");
  await using probing = await ControllerProcess.start({
    dataDir: join(directory, "probing"),
    args: ["--media-root", films.path, "--probe-media"],
  });
  const listed = ["media", "ls", films.path, "--probe", "--server", probing.grpc];
  const { code, stdout, stderr } = await start(SVC, listed).ended();
  assert.deepEqual([code, stderr], [0, ""]);
  assert.match(stdout, / h264 160×90 25 fps 0:02 +\S+\/film\.mp4$/m);
  assert.match(stdout, / - +\S+\/text\.mp4$/m);
  const json = await start(SVC, [...listed, "--json"]).ended();
  const [film] = json.stdout.split("\n");
  assert.deepEqual(JSON.parse(film ?? "").probe, {
    ...{ codec: "h264", width: 160, height: 90, duration: 2, frameRate: 25 },
  });
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
