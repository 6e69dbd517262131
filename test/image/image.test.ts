/** Builds the image from the Dockerfile, and runs it as hardened as documented. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { PROJECT } from "../../scripts/gates/gate.ts";
import { encode, LOSSY, pristine } from "../media/clips.ts";
import { MediaDirectory } from "../media/directory.ts";
import { freePort } from "../server/free-port.ts";
import { importBase } from "./base.ts";
import { Podman } from "./podman.ts";

const run = promisify(execFile);

const IMAGE = "localhost/svc:test";
const USER = 10001;
const MEGABYTE = 1e6;
/** Size limit, of which the scorer takes 173 MB and the embedded database 20 MB. */
const MAX_ADDED = 250 * MEGABYTE;

const manifest = JSON.parse(readFileSync(join(PROJECT, "package.json"), "utf8"));
const NODE_VERSION: string = manifest.devDependencies.node;
const BASE = `docker.io/library/node:${NODE_VERSION}-bookworm-slim`;

/** Secrets of the build: how this machine reaches its package indexes. The first file that exists. */
const SECRETS = [
  ["npmrc", join(homedir(), ".npmrc")],
  ["pip", join(homedir(), ".config", "pip", "pip.conf"), "/etc/pip.conf"],
] as const;

const podman = new Podman();
let media: MediaDirectory;

before(async () => {
  media = await MediaDirectory.open();
  await makePair(media);
  await importBase(podman, BASE, NODE_VERSION);
  const secrets = SECRETS.flatMap(([id, ...paths]) => {
    const path = paths.find((one) => existsSync(one));
    return path === undefined ? [] : [`--secret=id=${id},src=${path}`];
  });
  const manner = ["--isolation=chroot", "--pull=never", "--layers=false", "--format=docker"];
  await podman.run("build", ...manner, ...secrets, `--tag=${IMAGE}`, PROJECT);
});

after(async () => {
  await podman[Symbol.asyncDispose]();
  await media.remove();
});

async function makePair(directory: MediaDirectory): Promise<void> {
  const scene = { width: 160, height: 90, frames: 12 };
  const reference = await pristine(directory, "reference.y4m", scene);
  const distorted = await encode(directory, "distorted.mp4", scene, LOSSY.h264);
  chmodSync(directory.path, 0o755);
  for (const path of [reference, distorted]) chmodSync(path, 0o644);
}

const mounted = () => `--volume=${media.path}:/media:ro`;
const PAIR = ["/media/reference.y4m", "/media/distorted.mp4"] as const;

async function inspect(image: string): Promise<{ Size: number; Config: Record<string, unknown> }> {
  return JSON.parse(await podman.run("image", "inspect", image))[0];
}

test("has its metadata, and is small", async (t) => {
  const { Config: config, Size: size } = await inspect(IMAGE);
  const base = await inspect(BASE);
  assert.equal(config["User"], `${USER}:${USER}`);
  assert.deepEqual(config["Entrypoint"], ["tini", "--", "svc"]);
  assert.deepEqual(Object.keys(config["ExposedPorts"] ?? {}).sort(), ["8080/tcp", "9090/tcp", "9464/tcp"]);
  assert.equal(config["StopSignal"], "SIGTERM");
  const labels = config["Labels"] as Record<string, string>;
  assert.equal(labels["org.opencontainers.image.version"], manifest.version);
  assert.equal(labels["org.opencontainers.image.licenses"], "Apache-2.0 AND GPL-3.0-or-later");
  const added = size - base.Size;
  t.diagnostic(
    `${Math.round(size / MEGABYTE)} MB, of which ${Math.round(added / MEGABYTE)} MB on top of its base`,
  );
  assert.ok(added < MAX_ADDED, `it adds ${added} bytes to its base`);
});

test("contains what runs, and nothing that installs, tests or escalates privileges", async () => {
  const shell = (script: string, ...options: readonly string[]) =>
    podman.once(IMAGE, [...options, "--entrypoint=sh"], "-c", script);
  const top = await shell("ls -A /opt/svc");
  assert.deepEqual(top.trim().split("\n").sort(), [
    ...["CHANGELOG.md", "LICENSE", "README.md", "api", "bin", "deploy", "lib", "migrations"],
    ...["node_modules", "package.json", "scorer", "web"],
  ]);
  assert.equal(await shell("node --version"), `v${NODE_VERSION}\n`);
  assert.equal(await shell("id -u; id -g"), `${USER}\n${USER}\n`);
  const tools = "npm npx corepack yarn pip pip3 python3 uv";
  assert.equal(await shell(`for tool in ${tools}; do command -v $tool; done; true`), "");
  const whoSeesAll = ["--user=0", "--cap-add=DAC_READ_SEARCH"];
  assert.equal(await shell("find / -xdev -type f -perm /6000", ...whoSeesAll), "");
  const unwanted = ["*.test.*", ".npmrc", ".env*", "*.pem", "*.key", ".git", ".installed-lock.json"];
  const named = unwanted.map((name) => `-name '${name}'`).join(" -o ");
  assert.equal(await shell(`find /opt/svc '(' ${named} ')'`), "");
  const mine = "find / -xdev -writable ! -type l ! -path '/dev/*' ! -path '/proc/*'";
  assert.equal(await shell(`${mine} 2>/dev/null; true`), "/tmp\n");
});

test("contains the package from npm run pack, byte for byte, and the scorer", async () => {
  const folder = await mkdtemp(join(tmpdir(), "svc-package-"));
  const { stdout: made } = await run(process.execPath, ["scripts/pack.ts", folder], { cwd: PROJECT });
  await run("tar", ["-xzf", made.trim(), "-C", folder]);
  const sums = "find . -type f ! -path './scorer/*' -exec sha256sum '{}' +";
  const { stdout: packed } = await run("sh", ["-c", sums], {
    cwd: join(folder, "package"),
    maxBuffer: 2 ** 24,
  });
  await rm(folder, { recursive: true });
  const script = `cd /opt/svc && ${sums.replace("-type f", "-type f ! -path ./bin/health.mjs")}`;
  const inside = await podman.once(IMAGE, ["--entrypoint=sh"], "-c", script);
  const sorted = (text: string) => text.trim().split("\n").sort();
  assert.ok(sorted(packed).length > 1000);
  assert.deepEqual(sorted(inside), sorted(packed));
});

test("scores a pair exactly as outside", async () => {
  const [inside, outside] = await Promise.all([
    podman.once(IMAGE, [mounted()], "score", "--json", ...PAIR),
    run(join(PROJECT, "bin", "svc"), [
      "score",
      "--json",
      media.file("reference.y4m"),
      media.file("distorted.mp4"),
    ]),
  ]);
  assert.deepEqual(JSON.parse(inside).pooled, JSON.parse(outside.stdout).pooled);
});

test("a server is healthy, runs under an init, and exits with 0", async () => {
  const port = await freePort();
  const settings = [`--env=SVC_PORT=${port}`, "--env=SVC_GRPC_PORT=0"];
  const server = await podman.start(IMAGE, settings, "server");
  await server.answers(`http://127.0.0.1:${port}/v1/ready`);
  await server.isHealthy();
  assert.equal(await server.execute("cat", "/proc/1/comm"), "tini\n");
  assert.match(await server.execute("cat", "/proc/1/status"), /^CapEff:\t0+$/m);
  assert.equal(await server.stop(), 0);
});

test("a process that does not answer is unhealthy", async () => {
  const nobody = await podman.start(
    IMAGE,
    [`--env=SVC_PORT=${await freePort()}`, `--env=SVC_METRICS_PORT=${await freePort()}`, "--entrypoint=tini"],
    "sleep",
    "1000",
  );
  await assert.rejects(nobody.checkHealth(), { code: 1, stdout: /unhealthy/ });
});

test("a controller with a volume and a node score a job, and exit with 0", async () => {
  const [rest, grpc, metrics, probes] = [
    await freePort(),
    await freePort(),
    await freePort(),
    await freePort(),
  ];
  const state = media.file("state");
  mkdirSync(state, { mode: 0o700 });
  chownSync(state, USER, USER);
  const settings = [
    `SVC_PORT=${rest}`,
    `SVC_GRPC_PORT=${grpc}`,
    `SVC_METRICS_PORT=${metrics}`,
    "SVC_MEDIA_ROOT=/media",
    "SVC_AUTH_DISABLED=true",
  ];
  const given = settings.map((setting) => `--env=${setting}`);
  const controller = await podman.start(
    IMAGE,
    [...given, mounted(), `--volume=${state}:/var/lib/svc`],
    "controller",
  );
  await controller.answers(`http://127.0.0.1:${rest}/v1/ready`);
  const about = [`--env=SVC_METRICS_PORT=${probes}`, `--env=SVC_CONTROLLER=127.0.0.1:${grpc}`];
  const node = await podman.start(IMAGE, [...about, mounted()], "node");
  await node.answers(`http://127.0.0.1:${probes}/v1/ready`);
  await Promise.all([controller.isHealthy(), node.isHealthy()]);
  const where = ["--server", `127.0.0.1:${grpc}`];
  const report = await controller.execute("svc", "jobs", "submit", ...PAIR, "--wait", "--json", ...where);
  assert.equal(typeof JSON.parse(report).score, "number");
  const page = await fetch(`http://127.0.0.1:${rest}/console/`);
  assert.match(await page.text(), /<html/);
  assert.equal(await node.stop(), 0);
  assert.equal(await controller.stop(), 0);
  assert.ok(existsSync(join(state, "database")));
});
