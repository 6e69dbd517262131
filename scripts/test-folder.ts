/**
 * Runs the tests of one folder that take too long for `npm test`: `npm run test:outages` kills, stops and replaces
 * processes, fills disks and lets clocks jump; `npm run test:conformance` checks both servers against their API
 * descriptions; `npm run test:console` runs in a browser.
 *
 *   node scripts/test-folder.ts test/console/
 */
import { PROJECT } from "./gates/gate.ts";
import { withoutMounts } from "./testing/mounts.ts";
import { ensurePackages, packagesOf } from "./testing/packages.ts";
import { runTests } from "./testing/run.ts";
import { NEEDED_BY, schemathesisProblem } from "./testing/schemathesis.ts";
import { totalsLine } from "./testing/totals.ts";

/** Milliseconds per file. A chaos run under load that exercised too little is repeated up to four times. */
const LIMIT_MS = 1_800_000;

const [folder, ...others] = process.argv.slice(2);
if (folder === undefined || !folder.endsWith("/") || others.length > 0) {
  console.error("usage: node scripts/test-folder.ts FOLDER/");
  process.exit(2);
}
const isRoot = process.getuid?.() === 0;
const wanted = packagesOf(PROJECT).filter(({ neededBy }) => neededBy.includes(folder));
const without = new Map([...(await ensurePackages(wanted, { isRoot })), ...withoutMounts({ isRoot })]);
const problem = folder === NEEDED_BY ? await schemathesisProblem() : undefined;
if (problem !== undefined) without.set(NEEDED_BY, problem);
const totals = await runTests(PROJECT, [`${folder}**/*.test.ts`], { without, limitMs: LIMIT_MS });
process.stdout.write(`${totalsLine(totals)}\n`);
if (totals.failed > 0 || totals.passed + totals.skipped === 0) process.exitCode = 1;
