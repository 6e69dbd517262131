/**
 * False alarms and power of trends on simulated releases. Run with `npm run bench:trends -- [RUNS]`; docs/trends.md has the
 * results of one run.
 */
import { changePoints } from "../src/trends/change-points.ts";
import { ALARM, deltaOf } from "../src/trends/delta.ts";
import { fewGains, fewLosses, laplace, normal, simulate } from "../test/unit/trends/simulated.ts";

const RUNS = Number(process.argv[2] ?? 100_000);
const SHIFT = -0.5;
const SERIES = 10;
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

type Case = Omit<Parameters<typeof simulate>[0], "seed" | "releases">;

/** The share of releases that count as worse. */
function shareOf(runs: number, of: Case): number {
  let count = 0;
  for (let seed = 0; seed < runs; seed++) {
    const scores = simulate({ ...of, seed, releases: 2 });
    const { lowerChance = 1 } = deltaOf(scores.map(([before = 0, after = 0]) => after - before));
    if (lowerChance < ALARM) count++;
  }
  return count / runs;
}
