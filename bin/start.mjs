/** Starts an installed svc, or reports that this Node.js is too old. Must run on versions that cannot run svc. */
import { readFileSync } from "node:fs";

/** The exit code of a failed service. 1 would mean a score below its gate, 2 a usage error. */
const EXIT_FAILED = 3;

const { engines } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
const oldest = engines.node.replace(">=", "");
const found = process.versions.node;

const [major, minor] = found.split(".").map(Number);
const [oldestMajor, oldestMinor] = oldest.split(".").map(Number);
if (major < oldestMajor || (major === oldestMajor && minor < oldestMinor)) {
  process.stderr.write(
    `svc: Node.js ${oldest} or newer is required; this is ${found} (${process.execPath}). ` +
      "Install a newer one (https://nodejs.org), put it first on the PATH, and run the same command again.\n",
  );
  process.exit(EXIT_FAILED);
}
await import("../lib/main.js");
