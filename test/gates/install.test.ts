/** Running a script in a fresh checkout, on a small project with its own package and without network. */
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { PROJECT } from "../../scripts/gates/gate.ts";

const BOOTSTRAP = join(PROJECT, "scripts", "bootstrap.mjs");

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "install-"));
  mkdirSync(join(root, "part"));
  writeFileSync(join(root, "part", "package.json"), JSON.stringify({ name: "part", version: "1.0.0" }));
  const needs = { name: "whole", version: "1.0.0", dependencies: { part: "file:part" } };
  writeFileSync(join(root, "package.json"), JSON.stringify(needs));
  writeFileSync(
    join(root, "package-lock.json"),
    JSON.stringify({
      ...{ name: "whole", version: "1.0.0", lockfileVersion: 3, requires: true },
      packages: {
        "": needs,
        "node_modules/part": { resolved: "part", link: true },
        part: { version: "1.0.0" },
      },
    }),
  );
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const part = (): string => join(root, "node_modules", "part", "package.json");
const stamp = (): string => join(root, "node_modules", ".installed-lock.json");

/** npm keeps its files in the test's folder and does not use the network. */
const CACHE = join(tmpdir(), "npm-cache");
const env = {
  ...process.env,
  npm_config_cache: CACHE,
  npm_config_offline: "true",
  NODE_DISABLE_COMPILE_CACHE: "1",
};

function install(): Promise<{ code: number | null; said: string }> {
  const child = spawn(process.execPath, [BOOTSTRAP, "--install", root], {
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let said = "";
  child.stdout.on("data", (chunk: Buffer) => (said += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (said += chunk.toString()));
  return new Promise((resolve) => child.on("close", (code) => resolve({ code, said })));
}

afterEach(() => rmSync(CACHE, { recursive: true, force: true }));

test("installs once with a message, then prints nothing if there is nothing to do", async () => {
  const first = await install();
  assert.equal(first.code, 0, first.said);
  assert.match(first.said, /svc: installing \d+ packages in .*node_modules/);
  assert.ok(existsSync(part()));
  assert.deepEqual(await install(), { code: 0, said: "" });
});

test("installs again when the lock has changed, and after an interrupted installation", async () => {
  await install();
  const lock = join(root, "package-lock.json");
  writeFileSync(lock, readFileSync(lock, "utf8").replaceAll("1.0.0", "1.0.1"));
  writeFileSync(
    join(root, "package.json"),
    readFileSync(join(root, "package.json"), "utf8").replace("1.0.0", "1.0.1"),
  );
  assert.match((await install()).said, /installing/);
  rmSync(stamp());
  rmSync(join(root, "node_modules", ".package-lock.json"));
  rmSync(join(root, "node_modules", "part"));
  assert.match((await install()).said, /installing/);
  assert.ok(existsSync(part()));
});

test("accepts what was installed with npm manually", async () => {
  await install();
  rmSync(stamp());
  assert.deepEqual(await install(), { code: 0, said: "" });
  assert.ok(existsSync(stamp()));
});

test("concurrent runs install once, and all succeed", async () => {
  const runs = await Promise.all([install(), install(), install()]);
  assert.deepEqual(
    runs.map(({ code }) => code),
    [0, 0, 0],
  );
  assert.equal(runs.filter(({ said }) => said.includes("installing")).length, 1);
});

test("a failed installation reports what failed and where, and leaves no stamp", async () => {
  rmSync(join(root, "part"), { recursive: true });
  writeFileSync(join(root, "package.json"), "{");
  const { code, said } = await install();
  assert.equal(code, 1);
  assert.match(said, /svc: "npm ci" failed in .* \(exit code \d+\)\. Fix the cause that npm printed above/);
  assert.equal(existsSync(stamp()), false);
});

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

/** An installed checkout with files of this one; its pinned Node.js is a shell script. */
function checkoutOf(...files: readonly string[]): { place: string; pinned: (script: string) => void } {
  const place = join(root, "checkout");
  for (const name of ["scripts/bootstrap.mjs", "scripts/install.mjs", "scripts/alone.mjs", ...files])
    cpSync(join(PROJECT, name), join(place, name));
  const lock = { lockfileVersion: 3, packages: { "": {}, "node_modules/node": { version: "24.0.0" } } };
  for (const name of ["package-lock.json", "node_modules/.installed-lock.json"])
    write(join(place, name), JSON.stringify(lock));
  const node = join(place, "node_modules/node/bin/node");
  const pinned = (script: string): void => {
    write(node, `#!/bin/sh\n${script}\n`);
    chmodSync(node, 0o755);
  };
  return { place, pinned };
}

test("refuses a Node.js that is too old and says which one is needed", () => {
  const old = 'data:text/javascript,Object.defineProperty(process.versions,"node",{value:"18.20.4"})';
  const { status, stderr } = spawnSync(process.execPath, ["--import", old, BOOTSTRAP, "scripts/check.ts"], {
    encoding: "utf8",
  });
  assert.equal(status, 1);
  assert.match(
    stderr,
    /^svc: Node\.js 20 or newer is required to start; this is 18\.20\.4\. Install a newer one/,
  );
});

test("bin/svc of a checkout runs its sources, and first builds the console if one of its sources is newer", () => {
  const { place, pinned } = checkoutOf("bin/svc");
  for (const path of [
    "src/main.ts",
    "src/jobs/a.ts",
    "src/rates/a.ts",
    "src/report/a.ts",
    "web/src/a.ts",
    "web/public/a.svg",
    "web/build.ts",
  ])
    write(join(place, path), "");
  write(join(place, "web/dist/.sources"), "");
  pinned('echo "pinned $*"');
  const run = () => spawnSync(join(place, "bin/svc"), ["a", "b c"], { encoding: "utf8" });
  const sources = `pinned ${place}/bin/../src/main.ts a b c\n`;
  assert.deepEqual([run().stdout, run().stderr], [sources, ""]);
  const later = Date.now() / 1000 + 60;
  utimesSync(join(place, "web/src/a.ts"), later, later);
  assert.deepEqual([run().stdout, run().stderr], [sources, "pinned web/build.ts\n"]);
});

test("a failed console build does not stop other commands", () => {
  const { place, pinned } = checkoutOf();
  write(join(place, "web/build.ts"), "");
  pinned('[ "$1" != web/build.ts ] && echo "pinned $*"');
  const args = [join(place, "scripts", "bootstrap.mjs"), "a.ts"];
  const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
  assert.equal(stdout, `pinned ${place}/a.ts\n`);
  assert.match(
    stderr,
    /^svc: failed to build the console \(exit code 1\); run "npm run build:console" to see why\n$/,
  );
});

test("runs the script with the pinned Node.js, its arguments, exit code and signals", async () => {
  const { place, pinned } = checkoutOf();
  pinned('echo "pinned $*"\nexec sleep 1000');
  const child = spawn(process.execPath, [join(place, "scripts", "bootstrap.mjs"), "a.ts", "b c"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [said] = (await once(child.stdout, "data")) as [Buffer];
  assert.equal(said.toString(), `pinned ${place}/a.ts b c\n`);
  const ended = once(child, "exit");
  child.kill("SIGTERM");
  assert.deepEqual(await ended, [null, "SIGTERM"]);
});
