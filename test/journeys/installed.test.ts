/** Tests svc from its package: installed by npm into an empty prefix, and run in an empty folder. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import {
  cpSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { PROJECT } from "../../scripts/gates/gate.ts";
import { readLock } from "../../scripts/lock.ts";
import { encode, LOSSY, pristine } from "../media/clips.ts";
import { MediaDirectory } from "../media/directory.ts";
import { ffmpeg } from "../media/ffmpeg.ts";
import { Installation, nodeOf, pack } from "../package/installation.ts";

const execute = promisify(execFile);

const SCENE = { width: 160, height: 90, frames: 12 };
const PAIR = ["reference.y4m", "distorted.mp4"] as const;
const PORTS = ["--port", "0", "--grpc-port", "0", "--print-addresses", "--log-level", "warn"];
/** The oldest Node.js that can start a checkout. */
const OLD_NODE = "20.20.2";

const folder = mkdtempSync(join(tmpdir(), "svc-package-"));
/** A PATH with what bin/svc calls, but without Node.js and a scorer. */
const tools = join(folder, "tools");
let tarball: string;
let again: string;
let node: string;
let oldNode: string;
let installed: Installation;

before(async () => {
  mkdirSync(tools);
  symlinkSync("/usr/bin/readlink", join(tools, "readlink"));
  [tarball, again] = await Promise.all([pack(join(folder, "one")), pack(join(folder, "two"), "077")]);
  const { stdout } = await execute("tar", ["-xzOf", tarball, "package/package.json"]);
  const oldest = JSON.parse(stdout).engines.node.replace(">=", "");
  node = await nodeOf(oldest, join(folder, "oldest"));
  oldNode = await nodeOf(OLD_NODE, join(folder, "old"));
  installed = await Installation.of(tarball, node);
  const media = await MediaDirectory.open();
  await pristine(media, PAIR[0], SCENE);
  await encode(media, PAIR[1], SCENE, LOSSY.h264);
  for (const name of PAIR) cpSync(media.file(name), join(installed.work, name));
  await media.remove();
});
after(() => {
  rmSync(folder, { recursive: true });
  installed[Symbol.dispose]();
});

const sha256 = (path: string) => createHash("sha256").update(readFileSync(path)).digest("hex");

test("packs the same sources to the same bytes under any umask", () => {
  assert.equal(sha256(tarball), sha256(again));
});

test("holds what runs, and no sources, tests or build tools", () => {
  const top = globSync(["*", ".*"], { cwd: installed.file() }).sort();
  const documents = ["CHANGELOG.md", "LICENSE", "README.md"];
  const folders = ["api", "bin", "deploy", "lib", "migrations", "node_modules", "web"];
  // npm's postinstall has added the scorer.
  assert.deepEqual(top, [...documents, ...folders, "package.json", "scorer"].sort());
  assert.deepEqual(globSync("{bin,deploy,web}/*", { cwd: installed.file() }).sort(), [
    ...["bin/postinstall.mjs", "bin/start.mjs", "bin/svc", "deploy/chart", "web/dist"],
  ]);
  const sources = globSync("**/*.{ts,map,test.js}", {
    cwd: installed.file(),
    exclude: ["**/@ffmpeg-binary"],
  });
  assert.deepEqual(sources, []);
  const packages = globSync("node_modules/{[!@]*,@*/*}", { cwd: installed.file() });
  const { packages: locked } = readLock(PROJECT);
  const unknown = packages.filter((path) => locked[path] === undefined || locked[path].dev === true);
  assert.deepEqual(unknown, []);
  assert.ok(packages.length > 100);
});

test("npm pack in a checkout fails and names npm run pack", async () => {
  const packed = execute("npm", ["pack", "--dry-run"], { cwd: PROJECT });
  await assert.rejects(packed, { stderr: /svc: use npm run pack/ });
});

test("every module finds its imports under the oldest supported Node.js", async () => {
  // These two run on import.
  const modules = globSync("lib/**/*.js", {
    cwd: installed.file(),
    exclude: ["lib/main.js", "lib/store/embedded/worker.js"],
  });
  assert.ok(modules.length > 300);
  const program = "for (const path of process.argv.slice(1)) await import(path);";
  const paths = modules.map((path) => installed.file(path));
  await execute(join(node, "node"), ["--input-type=module", "--eval", program, ...paths]);
});

test("keeps the compiled program in the user's cache folder", async () => {
  assert.equal((await installed.run(["--version"])).code, 0);
  assert.notEqual(globSync(".cache/svc/*/*", { cwd: join(installed.work, "..") }).length, 0);
});

test("svc score scores a pair exactly as the checkout does", async () => {
  const { code, stdout, stderr } = await installed.run(["score", "--json", ...PAIR]);
  assert.equal(stderr, "");
  assert.equal(code, 0);
  const paths = PAIR.map((name) => join(installed.work, name));
  const here = await execute(join(PROJECT, "bin", "svc"), ["score", "--json", ...paths]);
  assert.deepEqual(JSON.parse(stdout).pooled, JSON.parse(here.stdout).pooled);
});

test("scores with the scorer that npm's postinstall fetched; without scripts, with npm's own and a warning", async () => {
  const { stdout } = await installed.run(["scorer", "list", "--json"]);
  const [first] = JSON.parse(stdout).programs;
  assert.deepEqual([first.origin, first.default], ["installed", true]);
  assert.ok(first.path.startsWith(realpathSync(installed.file("scorer"))), first.path);
  using plain = await Installation.of(tarball, node, "--prefer-offline", "--ignore-scripts");
  const paths = PAIR.map((name) => join(installed.work, name));
  const scored = await plain.run(["score", "--json", ...paths]);
  assert.equal(scored.code, 0);
  assert.match(scored.stderr, /^The current scorer, .* is not installed\. .*svc scorer install\n$/);
});

test("svc up serves the console, scores a job, and exits with 0", async () => {
  await using up = installed.start(["up", ...PORTS]);
  await up.printed(/"rest"/);
  const { rest, grpc } = JSON.parse(up.stdout);
  const page = await (await fetch(`${rest}/console/`)).text();
  const [, script = ""] = /<script [^>]*src="([^"]+)"/.exec(page) ?? [];
  const loaded = await fetch(new URL(script, rest));
  assert.deepEqual(
    [loaded.status, loaded.headers.get("content-type")],
    [200, "text/javascript; charset=utf-8"],
  );
  assert.equal((await fetch(`${rest}/ui/files/swagger-ui-bundle.js`)).status, 200);
  const job = await installed.run(["jobs", "submit", ...PAIR, "--wait", "--json", "--server", grpc]);
  assert.equal(job.code, 0, job.stderr);
  const scored = await installed.run(["score", "--json", ...PAIR]);
  assert.equal(JSON.parse(job.stdout).score, JSON.parse(scored.stdout).score);
  up.child.kill("SIGTERM");
  const { code, stderr } = await up.ended();
  assert.deepEqual([code, stderr], [0, ""]);
});

test("svc up scores the rendition of an HLS title", async () => {
  const title = join(installed.work, "title");
  mkdirSync(title);
  await ffmpeg([
    ...["-i", join(installed.work, PAIR[1]), "-c", "copy", "-f", "hls", "-hls_playlist_type", "vod"],
    ...["-hls_segment_type", "fmp4", join(title, "video.m3u8")],
  ]);
  await using up = installed.start(["up", ...PORTS]);
  await up.printed(/"rest"/);
  const { grpc } = JSON.parse(up.stdout);
  const pair = [PAIR[0], join("title", "video.m3u8")];
  const compared = await installed.run([
    "compare",
    ...pair,
    "--submit",
    "--json",
    "--quiet",
    "--server",
    grpc,
  ]);
  assert.equal(compared.code, 0, compared.stdout);
  const scored = await installed.run(["score", "--json", ...PAIR]);
  const { cells } = JSON.parse(compared.stdout);
  assert.deepEqual(cells[0].pooled.vmaf, JSON.parse(scored.stdout).pooled.vmaf);
});

test("refuses an older Node.js, or a PATH without Node.js, in one line that says what to do", async () => {
  const old = await installed.run(["up"], `${oldNode}:/usr/bin:/bin`);
  assert.equal(old.code, 3);
  assert.match(
    old.stderr,
    /^svc: Node\.js 24\.\d+\.0 or newer is required; this is 20\.20\.2 \(.*\)\. Install a newer one .*\n$/,
  );
  const none = await installed.run(["up"], tools);
  assert.equal(none.code, 3);
  assert.match(none.stderr, /^svc: Node\.js is not on the PATH\. Install it .*\n$/);
});

test("refuses a minor version that is too old", async () => {
  const older = 'data:text/javascript,Object.defineProperty(process.versions,"node",{value:"24.9.0"})';
  const start = execute(join(node, "node"), ["--import", older, installed.file("bin", "start.mjs")]);
  await assert.rejects(start, { code: 3, stderr: /this is 24\.9\.0/ });
});

test("installs without a registry; then only the scorer is missing", async () => {
  const cache = `--cache=${join(folder, "empty-cache")}`;
  using offline = await Installation.of(tarball, node, "--offline", cache);
  assert.equal((await offline.run(["--version"])).stdout, (await installed.run(["--version"])).stdout);
  const { code, stderr } = await offline.run(["score", ...PAIR], `${node}:${tools}`);
  assert.equal(code, 3);
  assert.match(stderr, /--vmaf-binary/);
});

test("does not build a missing console, but refuses to start and says what to do", async () => {
  const [built, away] = [installed.file("web"), join(folder, "web")];
  renameSync(built, away);
  try {
    const { code, stderr } = await installed.run([
      "up",
      "--port",
      "0",
      "--grpc-port",
      "0",
      "--log-level",
      "fatal",
    ]);
    assert.equal(code, 1);
    assert.match(stderr, /^svc up: The console cannot be read from .*\/web\/dist\. Reinstall svc .*\n$/);
  } finally {
    renameSync(away, built);
  }
});
