/**
 * Runs the tests with a real Kubernetes API server, helm and image builds: `npm run test:k8s`.
 *
 *   npm run test:k8s                    all of them
 *   npm run test:k8s -- --if-changed    none, if they already passed here with the same content
 *
 * The Kubernetes API server and helm are built with Go, once (about 12 minutes on 2 cores).
 */
import { parseArgs } from "node:util";
import { PROJECT } from "./gates/gate.ts";
import { contentKey, hasPassed, rememberPassed } from "./k8s/passed.ts";
import { goProblem, TOOL_NAMES, tool } from "./k8s/tools.ts";
import { ensurePackages, packagesOf } from "./testing/packages.ts";
import { runTests } from "./testing/run.ts";
import { totalsLine } from "./testing/totals.ts";

const FOLDERS = ["test/k8s/", "test/image/"];
/** The tests among them that need programs built with Go. */
const WITH_GO = "test/k8s/";

/**
 * Milliseconds per file. Building the image takes minutes; the first time, the substitute for its base image is built
 * too.
 */
const LIMIT_MS = 1_800_000;

const { values } = parseArgs({ options: { "if-changed": { type: "boolean", default: false } } });
const key = contentKey(PROJECT);
if (values["if-changed"] && hasPassed(key)) {
  say("skipped: the Kubernetes tests already passed here with the same content");
} else {
  await run();
}

async function run(): Promise<void> {
  const isRoot = process.getuid?.() === 0;
  const wanted = packagesOf(PROJECT).filter(({ neededBy }) =>
    neededBy.some((path) => FOLDERS.some((folder) => path.startsWith(folder))),
  );
  const problem = await goProblem();
  const without = new Map(await ensurePackages(wanted, { isRoot }));
  if (problem === undefined) {
    for (const name of TOOL_NAMES) await tool(name, say);
  } else {
    without.set(WITH_GO, problem);
  }
  const patterns = FOLDERS.map((folder) => `${folder}**/*.test.ts`);
  // Images take gigabytes.
  const totals = await runTests(PROJECT, patterns, { without, limitMs: LIMIT_MS, onDisk: true });
  say(totalsLine(totals));
  if (totals.failed > 0) process.exitCode = 1;
  else if (totals.skipped === 0) rememberPassed(key);
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
