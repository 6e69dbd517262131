/**
 * False alarms and power of trends on simulated releases. Run with `npm run bench:trends -- [RUNS]`; docs/trends.md has the
 * results of one run.
 */
import { changePoints } from "../src/trends/change-points.ts";
import { ALARM, type ClipDifference, type Delta, deltaBySource, deltaOf } from "../src/trends/delta.ts";
import { fewGains, fewLosses, laplace, normal, simulate } from "../test/unit/trends/simulated.ts";

const RUNS = Number(process.argv[2] ?? 100_000);
const SHIFT = -0.5;
const SERIES = 10;
/** Encodes of each reference, whose differences have a mean of their own. */
const RUNGS = 6;
/** Standard deviations of the differences between references and within one, in points. */
const BETWEEN = 0.5;
const WITHIN = 0.2;
const NOISES = { normal, laplace, "few large losses": fewLosses, "few large gains": fewGains };

for (const [name, noise] of Object.entries(NOISES)) {
  for (const clips of [10, 30, 100]) {
    const found = [0.25, 0.5, 0.75, 1].map((deviation) => {
      const share = shareOf(RUNS / 10, { clips, noise, deviation, shift: { at: 1, by: SHIFT } });
      return `${deviation}: ${(share * 100).toFixed(1)} %`;
    });
    const alarms = shareOf(RUNS, { clips, noise, deviation: 0.5 });
    console.log(
      `${name}, ${clips} clips: ${(alarms * 1000).toFixed(2)} false alarms in 1,000; a shift of ${SHIFT} found with differences of ${found.join(", ")}`,
    );
  }
}
for (const references of [10, 30]) {
  const share = (deltaIn: (all: readonly ClipDifference[]) => Delta) =>
    Array.from({ length: RUNS / 10 }, (_, seed) => deltaIn(ladders(references, seed))).filter(isWorse)
      .length /
    (RUNS / 10);
  const each = share((all) => deltaOf(all.map(({ value }) => value)));
  console.log(
    `${references} references of ${RUNGS} encodes: ${(share(deltaBySource) * 1000).toFixed(2)} false alarms in 1,000; ${(each * 1000).toFixed(0)} if each encode counted`,
  );
}
let changes = 0;
const series = RUNS / 10;
for (let seed = 0; seed < series; seed++)
  changes += changePoints(
    simulate({ seed, clips: 30, releases: SERIES, noise: normal, deviation: 0.5 }),
    SERIES,
  ).length;
console.log(
  `${SERIES} releases without a change: ${((changes / series) * 1000).toFixed(2)} change points in 1,000 series`,
);

function ladders(references: number, seed: number): readonly ClipDifference[] {
  const drawn = (clips: number, deviation: number, of: number) =>
    differencesOf(simulate({ seed: 2 * seed + of, clips, releases: 2, noise: normal, deviation }));
  const means = drawn(references, BETWEEN, 0);
  return drawn(references * RUNGS, WITHIN, 1).map((value, index) => {
    const reference = index % references;
    return { source: String(reference), value: value + (means[reference] ?? 0) };
  });
}

function isWorse({ lowerChance = 1 }: Delta): boolean {
  return lowerChance < ALARM;
}

function differencesOf(scores: ReturnType<typeof simulate>): readonly number[] {
  return scores.map(([before = 0, after = 0]) => after - before);
}

type Case = Omit<Parameters<typeof simulate>[0], "seed" | "releases">;

/** The share of releases that count as worse. */
function shareOf(runs: number, of: Case): number {
  let count = 0;
  for (let seed = 0; seed < runs; seed++) {
    const scores = simulate({ ...of, seed, releases: 2 });
    if (isWorse(deltaOf(differencesOf(scores)))) count++;
  }
  return count / runs;
}
