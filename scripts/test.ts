/**
 * Runs all gates and most tests: `npm test`. The last line of its output has the totals. Long suites have their own
 * commands: long journeys, complete matrices and the tests of the gates (`npm run test:long`), outages
 * (`npm run test:outages`), API conformance (`npm run test:conformance`), the console in a browser
 * (`npm run test:console`), Kubernetes and images (`npm run test:k8s`).
 */
import { runGates } from "./check.ts";
import { PROJECT } from "./gates/gate.ts";
import { ensurePackages, packagesOf } from "./testing/packages.ts";
import { runTests } from "./testing/run.ts";
import { add, totalsLine } from "./testing/totals.ts";

const isRoot = process.getuid?.() === 0;
/** Folders in test/ that other commands run. */
const ELSEWHERE = [
  "chaos",
  "conformance",
  "console",
  "gates",
  "image",
  "journeys",
  "k8s",
  "long",
  "matrices",
];
const isElsewhere = (path: string) => ELSEWHERE.some((folder) => path.startsWith(`test/${folder}/`));
const wanted = packagesOf(PROJECT).filter(({ neededBy }) => !neededBy.every(isElsewhere));
const without = await ensurePackages(wanted, { isRoot });
const gates = await runGates(PROJECT);
const tests = await runTests(PROJECT, [`test/!(${ELSEWHERE.join("|")})/**/*.test.ts`], { without });
const totals = add(gates, tests);
process.stdout.write(`${totalsLine(totals)}\n`);
process.exitCode = totals.failed > 0 || tests.passed === 0 ? 1 : 0;
