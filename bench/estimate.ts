/**
 * Measures how often the interval of `--estimate` contains the true mean of a video, and how much of the video it
 * takes: 1,000 seeds for each of many per-frame series, generated and recorded. Run with `npm run bench:estimate`;
 * docs/estimates.md has the results of one run.
 *
 *   -- --seeds 200 --tolerance 1 --unit 24    other numbers of seeds, half widths, and frames in a unit
 *   -- --score                                first makes and scores the recorded videos again, which takes minutes
 */
import { parseArgs } from "node:util";
import { unitFrames } from "../src/engine/estimate/unit-frames.ts";
import { type Coverage, measure } from "./estimate/coverage.ts";
import { type Film, generatedFilms } from "./estimate/films.ts";
import { record, recordedFilms } from "./estimate/recorded.ts";

const { values } = parseArgs({
  options: {
    seeds: { type: "string", default: "1000" },
    tolerance: { type: "string", default: "0.5" },
    unit: { type: "string" },
    score: { type: "boolean", default: false },
  },
});
const seeds = Number(values.seeds);
const tolerance = Number(values.tolerance);

if (values.score) await record();
console.log(`${seeds} seeds, ±${tolerance}\n`);
console.log(
  "| video | frames | unit | units | mean | SD | covered % | scored % | 95th % | half width | bias |",
);
console.log(`| --- |${" ---: |".repeat(10)}`);
const covered: number[] = [];
for (const film of [...generatedFilms(), ...recordedFilms()]) {
  const unit = values.unit === undefined ? unitFrames(film.scores.length) : Number(values.unit);
  const coverage = measure(film, { unit, tolerance, seeds });
  covered.push(coverage.covered);
  console.log(line(film, unit, coverage));
}
console.log(`\nlowest coverage: ${percent(Math.min(...covered))} %`);

function line({ name, scores }: Film, unit: number, measured: Coverage): string {
  const cells = [
    ...[
      name,
      scores.length,
      unit,
      measured.units,
      measured.trueMean.toFixed(2),
      measured.deviation.toFixed(1),
    ],
    ...[percent(measured.covered), percent(measured.medianShare), percent(measured.highShare)],
    ...[measured.medianHalfWidth.toFixed(2), measured.bias.toFixed(3)],
  ];
  return `| ${cells.join(" | ")} |`;
}

function percent(share: number): string {
  return (100 * share).toFixed(1);
}
