/**
 * Runs a script of a fresh checkout:
 *
 *   node scripts/bootstrap.mjs SCRIPT [ARGUMENT…]   install what is missing, then run SCRIPT
 *   node scripts/bootstrap.mjs --install [FOLDER]   install only (default: the checkout)
 *
 * This file and install.mjs run on the machine's own Node.js (20 or newer), so they are plain JavaScript and import
 * only modules of Node.js. Everything else runs on the Node.js that the project pins.
 */
import { spawn } from "node:child_process";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const OLDEST_NODE = 20;
const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));

/** Replaces this process by a command as far as Node.js can: same files, signals and exit code. */
function become(command, args) {
  // Before the start: a signal during the start must reach the child instead of orphaning it.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  const child = spawn(command, args, { stdio: "inherit" });
  child.on("error", (error) => fail(`failed to start ${command}: ${error.message}.`));
  child.on("exit", (code, signal) => {
    if (signal === null) process.exit(code);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

function fail(message) {
  process.stderr.write(`svc: ${message}\n`);
  process.exit(1);
}

async function main([script, ...args]) {
  if (Number.parseInt(process.versions.node, 10) < OLDEST_NODE) {
    fail(
      `Node.js ${OLDEST_NODE} or newer is required to start; this is ${process.versions.node}. ` +
        "Install a newer one from https://nodejs.org or your package manager, then run the same command again.",
    );
  }
  if (script === undefined) fail("usage: node scripts/bootstrap.mjs SCRIPT [ARGUMENT…]");
  const { install, pinnedNode } = await import("./install.mjs");
  try {
    await install(script === "--install" && args[0] !== undefined ? resolve(args[0]) : ROOT);
  } catch (error) {
    fail(error instanceof Error ? error.message : String(error));
  }
  if (script !== "--install") become(pinnedNode(ROOT), [join(ROOT, script), ...args]);
}

await main(process.argv.slice(2));
