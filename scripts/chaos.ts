/**
 * Runs the long chaos test: `npm run test:chaos`.
 *
 *   npm run test:chaos                           110 kills per store, with a random seed
 *   npm run test:chaos -- --seed 7 --kills 20 --store postgres
 *   npm run test:chaos -- --media storage        with videos in a storage that cuts connections and replaces objects
 */
import { randomInt } from "node:crypto";
import { parseArgs } from "node:util";
import { chaos, type Outcome } from "../test/chaos/chaos.ts";
import { STORE_NAMES, type StoreName } from "../test/chaos/stores.ts";

/** Number of kills per store. */
const KILLS = 110;

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: String(randomInt(1, 1_000_000)) },
    kills: { type: "string", default: String(KILLS) },
    store: { type: "string", multiple: true, default: [...STORE_NAMES] },
    media: { type: "string", default: "files" },
  },
});
const seed = positive("--seed", values.seed);
const kills = positive("--kills", values.kills);
const stores = values.store.map(storeName);
const media = mediaPlace(values.media);
console.log(`seed ${seed}, ${kills} kills per store`);
const stop = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => stop.abort(new Error(`stopped by ${signal}`)));
}
const outcomes: Outcome[] = [];
for (const store of stores) {
  const say = (line: string) => console.log(`${store}: ${line}`);
  const outcome = await chaos({ store, media, seed, kills, say, signal: stop.signal });
  outcomes.push(outcome);
  report(store, outcome);
}
const struck = outcomes.reduce((sum, outcome) => sum + outcome.kills, 0);
const faults = outcomes.reduce((sum, outcome) => sum + outcome.faults.length, 0);
console.log(`${struck} kills, ${faults} faults (seed ${seed})`);
process.exitCode = faults > 0 ? 1 : 0;

function report(store: StoreName, { faults: found, logs, ...figures }: Outcome): void {
  console.log(`${store}: ${JSON.stringify(figures, undefined, 2)}`);
  for (const fault of found) console.error(`${store}: FAULT ${fault}`);
  if (logs !== "") console.error(logs);
}

function positive(flag: string, text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) misused(`${flag} takes a positive integer`, text);
  return value;
}

function storeName(text: string): StoreName {
  return (
    STORE_NAMES.find((name) => name === text) ?? misused(`--store takes ${STORE_NAMES.join(" or ")}`, text)
  );
}

function mediaPlace(text: string): "files" | "storage" {
  return text === "files" || text === "storage" ? text : misused("--media takes files or storage", text);
}

function misused(rule: string, text: string): never {
  console.error(`${rule}, not ${JSON.stringify(text)}`);
  process.exit(2);
}
