/** Every gate and every test: `npm test`. The last line of its output is the sum. */
import { runGates } from "./check.ts";
import { PROJECT } from "./gates/gate.ts";
import { withoutMounts } from "./testing/mounts.ts";
import { ensurePackages, packagesOf } from "./testing/packages.ts";
import { runTests } from "./testing/run.ts";
import { add, totalsLine } from "./testing/totals.ts";

const isRoot = process.getuid?.() === 0;
const without = new Map([
  ...(await ensurePackages(packagesOf(PROJECT), { isRoot })),
  ...withoutMounts({ isRoot }),
]);
const gates = await runGates(PROJECT);
const tests = await runTests(PROJECT, ["test/**/*.test.ts"], { without });
const totals = add(gates, tests);
process.stdout.write(`${totalsLine(totals)}\n`);
process.exitCode = totals.failed > 0 || tests.passed === 0 ? 1 : 0;
