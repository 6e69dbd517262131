import assert from "node:assert/strict";
import { test } from "node:test";
import { measure } from "../../../../bench/estimate/coverage.ts";
import { generatedFilms } from "../../../../bench/estimate/films.ts";
import { recordedFilms } from "../../../../bench/estimate/recorded.ts";
import { unitFrames } from "../../../../src/engine/estimate/unit-frames.ts";

/** Seeds are fixed, so the outcome is too. 94 % of 50 is 47; `npm run bench:estimate` has 1,000. */
const SEEDS = 50;

for (const film of [...generatedFilms(), ...recordedFilms()]) {
  test(`contains the true mean of ${film.name} in 94 % of samples or more`, () => {
    const settings = { unit: unitFrames(film.scores.length), tolerance: 0.5, seeds: SEEDS };
    const { covered, trueMean } = measure(film, settings);
    assert.ok(covered >= 0.94, `${100 * covered} % contain ${trueMean}`);
  });
}
