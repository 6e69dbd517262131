/**
 * Installs the packages of a folder exactly as its package-lock.json names them.
 *
 * No install script of any package is run, whatever the user's npm settings are:
 * one way for everybody, and nothing but the registry's files (held to the lock's
 * checksums) reaches the machine. The one package that needs its script, `node`
 * (it fetches the executable for this machine), is completed here by name.
 */
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { basename, join } from "node:path";
import { alone } from "./alone.mjs";

/** How often a quiet terminal is told that npm is still at work, in milliseconds. */
const HEARTBEAT_MS = 10_000;

/** The embedded database has been seen to hang when it starts; it takes 5 s. */
const DATABASE_LIMIT_MS = 120_000;

/** The executable of Node.js that the project pins. */
export const pinnedNode = (root) => join(root, "node_modules", "node", "bin", "node");

/** Installs the packages of a folder's lock and builds its console, where they are not up to date. */
export async function install(root) {
  await installPackages(root);
  if (existsSync(join(root, "web", "build.ts"))) await buildConsole(root);
}

/** A broken source must not stop the commands that find the fault. */
async function buildConsole(root) {
  try {
    await run(pinnedNode(root), ["web/build.ts"], root);
  } catch (error) {
    say(`the console was not built (${error.message}); "npm run build:console" says why`);
  }
}

async function installPackages(root) {
  if (isInstalled(root)) return;
  await alone(`svc-install-${createHash("sha256").update(root).digest("hex").slice(0, 16)}`, async () => {
    if (isInstalled(root)) return;
    if (!isComplete(root)) await cleanInstall(root);
    if (usesPinnedNode(root)) await completeNode(root);
    if (existsSync(join(root, "scripts", "database.ts"))) await makeEmptyDatabase(root);
    copyFileSync(lockOf(root), stampOf(root));
  });
}

/** Without it the first start of each installation makes its own, which takes seconds. */
async function makeEmptyDatabase(root) {
  try {
    await run(pinnedNode(root), ["scripts/database.ts"], root, DATABASE_LIMIT_MS);
  } catch (error) {
    say(`no empty database was made, so a first "svc up" will take seconds longer (${error.message})`);
  }
}

const lockOf = (root) => join(root, "package-lock.json");

/** A copy of the lock that was installed, written last: bin/svc compares the two files as well. */
const stampOf = (root) => join(root, "node_modules", ".installed-lock.json");

const text = (path) => (existsSync(path) ? readFileSync(path, "utf8") : undefined);

function isInstalled(root) {
  const stamp = text(stampOf(root));
  return (
    stamp !== undefined &&
    stamp === text(lockOf(root)) &&
    (!usesPinnedNode(root) || existsSync(pinnedNode(root)))
  );
}

/** Whether npm's own record of what it installed (by hand, perhaps) already has every package of the lock. */
function isComplete(root) {
  const record = text(join(root, "node_modules", ".package-lock.json"));
  if (record === undefined) return false;
  const installed = JSON.parse(record).packages;
  return Object.entries(packagesOf(root)).every(([path, wanted]) => {
    if (path === "") return true;
    const found = installed[path];
    if (found === undefined) return !isForHere(wanted);
    return found.version === wanted.version && existsSync(join(root, path));
  });
}

const packagesOf = (root) => JSON.parse(readFileSync(lockOf(root), "utf8")).packages;

const usesPinnedNode = (root) => packagesOf(root)["node_modules/node"] !== undefined;

/** Whether npm must have installed a package here: the optional ones, only when they name this system. */
function isForHere({ optional, os, cpu, libc }) {
  if (optional !== true) return true;
  return libc === undefined && os?.includes(process.platform) && cpu?.includes(process.arch);
}

async function cleanInstall(root) {
  const count = Object.values(packagesOf(root)).filter(isForHere).length;
  say(`installing ${count} packages in ${join(root, "node_modules")} (once; about a minute)`);
  rmSync(stampOf(root), { force: true });
  const started = Date.now();
  const options = ["--ignore-scripts", "--include=dev", "--include=optional", "--engine-strict=false"];
  await npm(root, ["ci", ...options, "--no-audit", "--no-fund", "--loglevel=error"]);
  say(`installed in ${((Date.now() - started) / 1000).toFixed(0)} s`);
}

/** Fetches the pinned Node.js for this system, as the install script of the package `node` would. */
async function completeNode(root) {
  const folder = join(root, "node_modules", "node");
  const wanted = `v${packagesOf(root)["node_modules/node"].version}`;
  if ((await versionOf(pinnedNode(root))) !== wanted) {
    say(`fetching Node.js ${wanted}`);
    await run(process.execPath, ["installArchSpecificPackage.js"], folder).catch(() => undefined);
  }
  const found = await versionOf(pinnedNode(root));
  if (found === wanted) return linkNode(root);
  throw new Error(
    `Node.js ${wanted} could not be put in place at ${pinnedNode(root)} (found: ${found ?? "nothing that runs"}). ` +
      `Check that npm can reach its registry and has a build for ${process.platform}-${process.arch}, then run ` +
      `"npm rebuild node --foreground-scripts --ignore-scripts=false" in ${root} to see why.`,
  );
}

/** npm links the commands of packages before `node` has its executable, and so leaves that one out. */
function linkNode(root) {
  const commands = join(root, "node_modules", ".bin");
  if (existsSync(join(commands, "node"))) return;
  mkdirSync(commands, { recursive: true });
  rmSync(join(commands, "node"), { force: true });
  symlinkSync(join("..", "node", "bin", "node"), join(commands, "node"));
}

/** Version that an executable of Node.js reports; undefined when it is not there or does not run. */
function versionOf(executable) {
  return new Promise((resolve) => {
    const child = spawn(executable, ["--version"], { stdio: ["ignore", "pipe", "ignore"] });
    let said = "";
    child.stdout.on("data", (chunk) => (said += chunk));
    child.on("error", () => resolve(undefined));
    child.on("close", (code) => resolve(code === 0 ? said.trim() : undefined));
  });
}

/** npm, by the very program that runs this script where there is one. */
async function npm(root, args) {
  const own = process.env.npm_execpath;
  const [command, first] = basename(own ?? "") === "npm-cli.js" ? [process.execPath, [own]] : ["npm", []];
  const heartbeat = setInterval(() => say("still installing …"), HEARTBEAT_MS);
  try {
    await run(command, [...first, ...args], root);
  } catch (error) {
    throw new Error(
      `"npm ${args[0]}" failed in ${root} (${error.message}). npm said why above: mend that and run the same command again.`,
      { cause: error },
    );
  } finally {
    clearInterval(heartbeat);
  }
}

/** Runs a command with its output on stderr: stdout belongs to the script that follows. Ends it after `limitMs`. */
function run(command, args, cwd, limitMs) {
  return new Promise((resolve, reject) => {
    const env = { ...process.env, npm_config_update_notifier: "false" };
    const child = spawn(command, args, {
      cwd,
      env,
      stdio: ["ignore", 2, 2],
      timeout: limitMs,
      killSignal: "SIGKILL",
    });
    child.on("error", (error) => reject(new Error(`${command} cannot be started: ${error.message}`)));
    child.on("close", (code, signal) => {
      if (code === 0) resolve();
      else reject(new Error(signal === null ? `exit code ${code}` : `ended by ${signal}`));
    });
  });
}

function say(message) {
  process.stderr.write(`svc: ${message}\n`);
}
