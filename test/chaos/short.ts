/** The short chaos run that the tests make: every kind of blow at least once. */
import assert from "node:assert/strict";
import { randomInt } from "node:crypto";
import { chaos } from "./chaos.ts";
import { BLOWS, type BlowKind } from "./schedule.ts";
import type { StoreName } from "./stores.ts";

const KILLS = 12;
/** Milliseconds of all runs together: less than the runner gives a file, so that the run is what is told. */
const LIMIT_MS = 800_000;
/** Runs until one is made in which a blow fell on work that went on elsewhere: most do. */
const RUNS = 4;

export async function shortChaos(store: StoreName): Promise<void> {
  const signal = AbortSignal.timeout(LIMIT_MS);
  for (let run = 1; !(await shows(store, signal)); run++) {
    assert.ok(run < RUNS, `in ${RUNS} runs no blow fell on work that went on elsewhere`);
  }
}

/** Makes a run without faults; whether something was done again in it. */
async function shows(store: StoreName, signal: AbortSignal): Promise<boolean> {
  const seed = randomInt(1, 1_000_000);
  const told: string[] = [`seed ${seed}`];
  const outcome = await chaos({ store, seed, kills: KILLS, say: (line) => told.push(line), signal }).catch(
    (cause: unknown) => {
      throw new Error(told.join("\n"), { cause });
    },
  );
  const { faults, logs, ends, blows, ...figures } = outcome;
  const all = `${told.join("\n")}\n${JSON.stringify({ ends, ...figures })}\n${logs}`;
  assert.deepEqual(faults, [], all);
  assert.ok(figures.kills >= KILLS, all);
  for (const [kind, { database }] of Object.entries(BLOWS)) {
    if (store === "postgres" || !database) assert.ok((blows[kind as BlowKind] ?? 0) > 0, `${kind}: ${all}`);
  }
  // What was counted was there to be counted.
  for (const end of ["SUCCEEDED", "FAILED"]) assert.ok((ends[end] ?? 0) > 0, `none ${end}: ${all}`);
  assert.ok(figures.framesCompared > 0 && figures.stillsCompared > 0, all);
  return figures.attemptsAboveFirst > 0;
}
