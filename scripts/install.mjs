/**
 * Installs the packages of a folder exactly as listed in its package-lock.json.
 *
 * Install scripts never run, independent of the user's npm settings. So the install is the same for everyone, and only
 * files from the registry, verified against the checksums in the lock, reach the machine. One package needs its script:
 * `node` fetches the executable for this machine. This file completes it explicitly.
 */
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { basename, join } from "node:path";
import { alone } from "./alone.mjs";

/** Interval of the progress message while npm is silent, in milliseconds. */
const HEARTBEAT_MS = 10_000;

/** Milliseconds. Creating the database takes 5 s; the embedded database has been seen to hang when it starts. */
const DATABASE_LIMIT_MS = 120_000;

/** Milliseconds. Fetching the scorer takes 5 s; pip retries for minutes if its index does not answer. */
const SCORER_LIMIT_MS = 600_000;

/** The executable of the Node.js version that the project pins. */
export const pinnedNode = (root) => join(root, "node_modules", "node", "bin", "node");

/** Installs the packages of a folder's lock and builds its console, if they are not up to date. */
export async function install(root) {
  await installPackages(root);
  if (existsSync(join(root, "web", "build.ts"))) await buildConsole(root);
}

/** Only warns on failure: broken sources must not stop the commands that find the fault. */
async function buildConsole(root) {
  try {
    await run(pinnedNode(root), ["web/build.ts"], root);
  } catch (error) {
    say(`failed to build the console (${error.message}); run "npm run build:console" to see why`);
  }
}

async function installPackages(root) {
  if (isInstalled(root)) return;
  await alone(`svc-install-${createHash("sha256").update(root).digest("hex").slice(0, 16)}`, async () => {
    if (isInstalled(root)) return;
    if (!isComplete(root)) await cleanInstall(root);
    if (usesPinnedNode(root)) await completeNode(root);
    if (existsSync(join(root, "scripts", "database.ts"))) await makeEmptyDatabase(root);
    if (existsSync(join(root, "scripts", "scorer.ts"))) await installScorer(root);
    copyFileSync(lockOf(root), stampOf(root));
  });
}

/**
 * Creates the empty database. Without it, the first start of each installation creates its own, which takes seconds.
 */
async function makeEmptyDatabase(root) {
  try {
    await run(pinnedNode(root), ["scripts/database.ts"], root, DATABASE_LIMIT_MS);
  } catch (error) {
    say(
      `failed to create the empty database (${error.message}); the first "svc up" will take seconds longer`,
    );
  }
}

/** Only warns on failure, and is not repeated at the next start: a machine may have no pip and no Python index. */
async function installScorer(root) {
  try {
    await run(pinnedNode(root), ["scripts/scorer.ts"], root, SCORER_LIMIT_MS);
  } catch (error) {
    say(
      `failed to install the scorer (${error.message}); another one scores, if there is one. Try again with: bin/svc scorer install`,
    );
  }
}

const lockOf = (root) => join(root, "package-lock.json");

/** A copy of the installed lock file, written last. bin/svc compares the two files too. */
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

/**
 * Whether npm's own record of installed packages already has every package of the lock, for example after a manual
 * install.
 */
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

/** Whether npm must have installed a package here. Optional packages are required only if they are for this system. */
function isForHere({ optional, os, cpu, libc }) {
  if (optional !== true) return true;
  return libc === undefined && os?.includes(process.platform) && cpu?.includes(process.arch);
}

async function cleanInstall(root) {
  const count = Object.values(packagesOf(root)).filter(isForHere).length;
  say(`installing ${count} packages in ${join(root, "node_modules")} (once, about a minute)`);
  rmSync(stampOf(root), { force: true });
  const started = Date.now();
  const options = ["--ignore-scripts", "--include=dev", "--include=optional", "--engine-strict=false"];
  await npm(root, ["ci", ...options, "--no-audit", "--no-fund", "--loglevel=error"]);
  say(`installed in ${((Date.now() - started) / 1000).toFixed(0)} s`);
}

/** Fetches the pinned Node.js for this system, like the install script of the package `node`. */
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
    `Failed to install Node.js ${wanted} at ${pinnedNode(root)} (found: ${found ?? "no working executable"}). ` +
      `Check that npm can reach its registry and has a build for ${process.platform}-${process.arch}, then run ` +
      `"npm rebuild node --foreground-scripts --ignore-scripts=false" in ${root} to see why.`,
  );
}

/** Links the command `node`: npm links commands before the package has its executable, and so omits it. */
function linkNode(root) {
  const commands = join(root, "node_modules", ".bin");
  if (existsSync(join(commands, "node"))) return;
  mkdirSync(commands, { recursive: true });
  rmSync(join(commands, "node"), { force: true });
  symlinkSync(join("..", "node", "bin", "node"), join(commands, "node"));
}

/** Returns the version that an executable of Node.js reports; undefined if it is missing or does not run. */
function versionOf(executable) {
  return new Promise((resolve) => {
    const child = spawn(executable, ["--version"], { stdio: ["ignore", "pipe", "ignore"] });
    let said = "";
    child.stdout.on("data", (chunk) => (said += chunk));
    child.on("error", () => resolve(undefined));
    child.on("close", (code) => resolve(code === 0 ? said.trim() : undefined));
  });
}

/** Runs npm; the same one that runs this script, if any. */
async function npm(root, args) {
  const own = process.env.npm_execpath;
  const [command, first] = basename(own ?? "") === "npm-cli.js" ? [process.execPath, [own]] : ["npm", []];
  const heartbeat = setInterval(() => say("still installing …"), HEARTBEAT_MS);
  try {
    await run(command, [...first, ...args], root);
  } catch (error) {
    throw new Error(
      `"npm ${args[0]}" failed in ${root} (${error.message}). Fix the cause that npm printed above, then run this again.`,
      { cause: error },
    );
  } finally {
    clearInterval(heartbeat);
  }
}

/**
 * Runs a command with its output on stderr, because stdout belongs to the script that follows. Kills it after
 * `limitMs`.
 */
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
    child.on("error", (error) => reject(new Error(`failed to start ${command}: ${error.message}`)));
    child.on("close", (code, signal) => {
      if (code === 0) resolve();
      else reject(new Error(signal === null ? `exit code ${code}` : `killed by ${signal}`));
    });
  });
}

function say(message) {
  process.stderr.write(`svc: ${message}\n`);
}
