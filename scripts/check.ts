/**
 * Runs the gates and the unit tests and prints the result and duration of each:
 *
 *   npm run check                        everything
 *   npm run check -- imports types       only these gates
 *   node scripts/check.ts --root DIR …   on another checkout
 */
import { resolve } from "node:path";
import { GATES } from "./gates/all.ts";
import { type Gate, PROJECT } from "./gates/gate.ts";
import { runTests } from "./testing/run.ts";
import { add, NONE, type Totals, totalsLine } from "./testing/totals.ts";

/** Gates that run at once: the slowest, the type-checkers, use one core each. */
const AT_ONCE = 2;

/** Runs gates and prints each when it ends. */
export async function runGates(root: string, gates: readonly Gate[] = GATES): Promise<Totals> {
  const queue = [...gates];
  let totals = NONE;
  const work = async (): Promise<void> => {
    for (let gate = queue.shift(); gate !== undefined; gate = queue.shift()) {
      const result = await runGate(root, gate);
      totals = add(totals, result);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return totals;
}

async function runGate(root: string, gate: Gate): Promise<Totals> {
  const started = performance.now();
  const complaints = await gate.complaints(root).catch((error: unknown) => [String(error)]);
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  const verdict = complaints.length === 0 ? "ok  " : "FAIL";
  process.stdout.write(`${verdict} ${gate.name.padEnd(10)} ${seconds.padStart(5)} s  ${gate.rule}\n`);
  for (const complaint of complaints) process.stdout.write(`     ${complaint.replaceAll("\n", "\n     ")}\n`);
  return complaints.length === 0 ? { ...NONE, passed: 1 } : { ...NONE, failed: 1 };
}

interface Asked {
  readonly root: string;
  readonly names: readonly string[];
}

function asked(args: readonly string[]): Asked {
  const [flag, folder, ...rest] = args;
  if (flag === "--root" && folder !== undefined) return { root: resolve(folder), names: rest };
  return { root: PROJECT, names: args };
}

async function main({ root, names }: Asked): Promise<void> {
  const unknown = names.filter((name) => !GATES.some((gate) => gate.name === name));
  if (unknown.length > 0) {
    process.stderr.write(
      `unknown gate ${unknown.join(", ")}; use ${GATES.map(({ name }) => name).join(", ")}\n`,
    );
    process.exitCode = 2;
    return;
  }
  const chosen = names.length === 0 ? GATES : GATES.filter((gate) => names.includes(gate.name));
  let totals = await runGates(root, chosen);
  if (names.length === 0) totals = add(totals, await runTests(root, ["test/unit/**/*.test.ts"]));
  process.stdout.write(`${totalsLine(totals)}\n`);
  process.exitCode = totals.failed > 0 || totals.passed === 0 ? 1 : 0;
}

if (import.meta.main) await main(asked(process.argv.slice(2)));
