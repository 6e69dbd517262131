/**
 * Runs the tests of folders that take too long for `npm test`: `npm run test:long` runs long journeys with the program,
 * complete matrices of the engine, other tests that take long, and the tests of the gates; `npm run test:outages` kills, stops and replaces
 * processes, fills disks and lets clocks jump; `npm run test:conformance` checks both servers against their API
 * descriptions; `npm run test:console` runs in a browser.
 *
 *   node scripts/test-folder.ts test/gates/ test/journeys/ test/long/ test/matrices/
 */
import { PROJECT } from "./gates/gate.ts";
import { withoutMounts } from "./testing/mounts.ts";
import { ensurePackages, packagesOf } from "./testing/packages.ts";
import { pypiProblem } from "./testing/pypi.ts";
import { runTests } from "./testing/run.ts";
import { SCHEMATHESIS } from "./testing/schemathesis.ts";
import { SEAWEEDFS } from "./testing/seaweedfs.ts";
import { SHAKA_PACKAGER } from "./testing/shaka-packager.ts";
import { totalsLine } from "./testing/totals.ts";

/** Milliseconds per file. A chaos run under load that exercised too little is repeated up to four times. */
const LIMIT_MS = 1_800_000;

/** Tests that need programs from PyPI. */
const FROM_PYPI = [
  ["test/conformance/scoring-server.test.ts", SCHEMATHESIS],
  ["test/conformance/open-controller.test.ts", SCHEMATHESIS],
  ["test/conformance/gated-controller.test.ts", SCHEMATHESIS],
  ["test/conformance/s3.test.ts", SEAWEEDFS],
  ["test/conformance/bucket-uploads.test.ts", SEAWEEDFS],
  ["test/conformance/bucket-uploads-deleted.test.ts", SEAWEEDFS],
  ["test/conformance/results-kill.test.ts", SEAWEEDFS],
  ["test/conformance/results-scores.test.ts", SEAWEEDFS],
  ["test/conformance/results-storage.test.ts", SEAWEEDFS],
  ["test/conformance/s3-titles.test.ts", SEAWEEDFS],
  ["test/conformance/upload-parts.test.ts", SEAWEEDFS],
  ["test/console/bucket-uploads.test.ts", SEAWEEDFS],
  ["test/console/stored-titles.test.ts", SEAWEEDFS],
  ["test/matrices/shaka-titles.test.ts", SHAKA_PACKAGER],
] as const;

const folders = process.argv.slice(2);
if (folders.length === 0 || !folders.every((folder) => folder.endsWith("/"))) {
  console.error("usage: node scripts/test-folder.ts FOLDER/…");
  process.exit(2);
}
const isRoot = process.getuid?.() === 0;
const wanted = packagesOf(PROJECT).filter(({ neededBy }) =>
  neededBy.some((path) => folders.some((folder) => path.startsWith(folder))),
);
const without = new Map([...(await ensurePackages(wanted, { isRoot })), ...withoutMounts({ isRoot })]);
for (const [path, program] of FROM_PYPI) {
  const problem = folders.some((folder) => path.startsWith(folder)) ? await pypiProblem(program) : undefined;
  if (problem !== undefined) without.set(path, problem);
}
const patterns = folders.map((folder) => `${folder}**/*.test.ts`);
// Outages are tested on a disk, which holds back writers.
const onDisk = folders.includes("test/chaos/");
const totals = await runTests(PROJECT, patterns, { without, limitMs: LIMIT_MS, onDisk });
process.stdout.write(`${totalsLine(totals)}\n`);
if (totals.failed > 0 || totals.passed + totals.skipped === 0) process.exitCode = 1;
