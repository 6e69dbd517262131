/**
 * Measures how well svc recognises awkward pairs: it makes a corpus of pairs with known faults and clean ones, and
 * judges a diagnosis of each. Run with `npm run bench:doctor`. The first run fetches clips with pip and makes the
 * pairs, about a second of CPU and 3 MB each; they are kept in the folder.
 */
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { Engine } from "../src/engine/engine.ts";
import { openEngine } from "../src/engine/open.ts";
import { CLASSES, chooseCases, halfNamed, withoutFault } from "./doctor/corpus/cases.ts";
import { keepPair, makePairs, type Pair } from "./doctor/corpus/store.ts";
import { diagnose } from "./doctor/diagnose.ts";
import { type Effect, effectOf, effectText } from "./doctor/effect.ts";
import { judge } from "./doctor/judge.ts";
import { keepResult, type Result, readResults } from "./doctor/results.ts";
import { isOpenInTime, type Rivals, rivalsOf, rivalsText } from "./doctor/rivals.ts";
import { cleanAlarms, complaints, findingTable, type Judged, outcomeTable } from "./doctor/table.ts";
import { cpuTime } from "./interleave.ts";

const HELP = `Usage: npm run bench:doctor -- [options]

  --half held-out                 the half that must not be used for tuning; default: development
  --class offset --class clean    only these classes; default: all
  --share 0.1                     the first tenth of each class
  --folder DIR --jobs 4           where pairs are kept, and how many are made at a time
  --make                          makes the pairs and their manifest.json, and diagnoses none
  --results FILE                  keeps what is found of each pair, and diagnoses none that the file has:
                                  a long run goes on where it stopped, and the tables are of both
  --effects                       scores the pairs whose fault is not found, and the same without the fault
  --rivals                        scores the pairs whose fault in time is unclear as their frames belong together,
                                  and in other ways

Classes: ${CLASSES.join(", ")}`;

const { values } = parseArgs({
  options: {
    help: { type: "boolean", default: false },
    half: { type: "string", default: "development" },
    class: { type: "string", multiple: true, default: CLASSES },
    share: { type: "string", default: "1" },
    folder: { type: "string", default: join(tmpdir(), "svc-pairs") },
    jobs: { type: "string", default: String(availableParallelism()) },
    make: { type: "boolean", default: false },
    results: { type: "string" },
    effects: { type: "boolean", default: false },
    rivals: { type: "boolean", default: false },
  },
});
if (values.help) {
  console.log(HELP);
  process.exit();
}
const cases = chooseCases({
  ...{ classes: values.class, half: halfNamed(values.half), share: Number(values.share) },
});
const pairs = await makePairs(values.folder, cases, Number(values.jobs));
console.log(`${pairs.length} pairs of the ${values.half} half in ${values.folder}`);
if (!values.make) {
  const [engine, kept] = [await openEngine(), await readResults(values.results)];
  const judged: Judged[] = [];
  // One at a time, so that CPU time is that of the pair.
  for (const pair of pairs) {
    const { found, cpuMs } = kept.get(pair.id) ?? (await examined(engine, pair));
    judged.push({ pair, found, verdict: judge(pair.truth, found), cpuMs });
    if (judged.length % 20 === 0) console.log(`${judged.length} of ${pairs.length} diagnosed`);
  }
  console.log(`\n${complaints(judged)}\n\n${outcomeTable(judged)}\n\n${findingTable(judged)}`);
  console.log(`\n${cleanAlarms(judged)}`);
  if (values.effects) console.log(`\n${await effects(engine, judged)}`);
  if (values.rivals) {
    const found: Rivals[] = [];
    for (const { pair } of judged.filter(isOpenInTime)) found.push(await rivalsOf(engine, pair));
    console.log(`\n${rivalsText(found)}`);
  }
}

/** Scores the pairs whose fault was not found, each beside the same pair without the fault. */
async function effects(engine: Engine, judged: readonly Judged[]): Promise<string> {
  const faults = judged.filter(({ pair: { truth } }) => truth.expected.length > 0 && !truth.ambiguous);
  const measured: Effect[] = [];
  for (const one of faults.filter(({ verdict }) => verdict.outcome !== "right")) {
    const faulty = cases.find(({ id }) => id === one.pair.id);
    if (faulty === undefined) continue;
    const clean = await keepPair(values.folder, withoutFault(faulty));
    measured.push(await effectOf(engine, one, clean));
  }
  return effectText(measured, faults.length);
}

async function examined(engine: Engine, { id, reference, distorted }: Pair): Promise<Result> {
  const before = await cpuTime();
  const found = await diagnose(engine, reference, distorted);
  const result = { id, found, cpuMs: (await cpuTime()) - before };
  await keepResult(values.results, result);
  return result;
}
