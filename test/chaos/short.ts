/** The short chaos run of the test suite: every kind of fault at least once. */
import assert from "node:assert/strict";
import { randomInt } from "node:crypto";
import { type ChaosOptions, chaos } from "./chaos.ts";
import { BLOWS, type FaultKind } from "./schedule.ts";
import type { StoreName } from "./stores.ts";

const KILLS = 12;
type Media = NonNullable<ChaosOptions["media"]>;

/** Milliseconds of all runs together; less than the test runner's limit per file, so that the run itself reports. */
const LIMIT_MS = 800_000;
/** Runs until a fault has caused a retry; most runs do. */
const RUNS = 4;

export async function shortChaos(store: StoreName, media: Media = "files"): Promise<void> {
  const signal = AbortSignal.timeout(LIMIT_MS);
  for (let run = 1; !(await shows({ store, media, signal })); run++) {
    assert.ok(run < RUNS, `in ${RUNS} runs no fault caused a retry`);
  }
}

/** Makes a run, which must pass; returns whether a task was retried. */
async function shows(where: Pick<ChaosOptions, "store" | "media" | "signal">): Promise<boolean> {
  const { store, media } = where;
  const seed = randomInt(1, 1_000_000);
  const lines: string[] = [`seed ${seed}`];
  const options = { ...where, seed, kills: KILLS, say: (line: string) => lines.push(line) };
  const outcome = await chaos(options).catch((cause: unknown) => {
    throw new Error(lines.join("\n"), { cause });
  });
  const { faults, logs, ends, blows, ...figures } = outcome;
  const all = [...faults, ...lines, JSON.stringify({ ends, ...figures }), logs].join("\n");
  assert.deepEqual(faults, [], all);
  assert.ok(figures.kills >= KILLS, all);
  for (const [kind, { database }] of Object.entries(BLOWS)) {
    if (store === "postgres" || !database) assert.ok((blows[kind as FaultKind] ?? 0) > 0, `${kind}: ${all}`);
  }
  // Proves that there was something to count.
  for (const end of ["SUCCEEDED", "FAILED"]) assert.ok((ends[end] ?? 0) > 0, `none ${end}: ${all}`);
  assert.ok(figures.framesCompared > 0 && figures.stillsCompared > 0, all);
  if (media === "storage") assert.ok(figures.cuts > 0, all);
  return figures.attemptsAboveFirst > 0;
}
