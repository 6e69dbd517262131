/**
 * Replaces the Dockerfile's base image if no registry can be reached: a small Debian with the pinned Node.js and this
 * machine's npm, under the same name.
 */
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, realpathSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { cacheFolder } from "../../scripts/k8s/tools.ts";
import type { Podman } from "./podman.ts";

const run = promisify(execFile);

const SUITE = "bookworm";
/** CAs that this machine trusts, so that npm in the build reaches the registry as npm does here. */
const AUTHORITIES = "/etc/ssl/certs/ca-certificates.crt";

/** Adds the base image to the store. It is built once per Node.js version, and kept. */
export async function importBase(podman: Podman, name: string, nodeVersion: string): Promise<void> {
  const kept = join(cacheFolder(), "image-base", `${SUITE}-node-${nodeVersion}.tar`);
  if (!existsSync(kept)) await make(kept);
  const variables = [
    "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    `NODE_EXTRA_CA_CERTS=${AUTHORITIES}`,
  ];
  await podman.run("import", ...variables.flatMap((one) => ["--change", `ENV ${one}`]), kept, name);
}

async function make(kept: string): Promise<void> {
  const made = `${kept}.${process.pid}.tar`;
  mkdirSync(dirname(kept), { recursive: true });
  const npm = dirname(dirname(realpathSync(await whichNpm())));
  const hooks = [
    "mkdir -p $1/usr/local/lib/node_modules",
    // The Node.js that runs the tests.
    `cp ${process.execPath} $1/usr/local/bin/node`,
    `cp -r ${npm} $1/usr/local/lib/node_modules/npm`,
    "ln -s ../lib/node_modules/npm/bin/npm-cli.js $1/usr/local/bin/npm",
    `cp ${AUTHORITIES} $1${AUTHORITIES}`,
  ];
  const options = ["--variant=minbase", "--include=ca-certificates", "--quiet"];
  try {
    await run("mmdebstrap", [...options, ...hooks.map((hook) => `--customize-hook=${hook}`), SUITE, made]);
    renameSync(made, kept);
  } finally {
    rmSync(made, { force: true });
  }
}

async function whichNpm(): Promise<string> {
  const { stdout } = await run("sh", ["-c", "command -v npm"]);
  return stdout.trim();
}
