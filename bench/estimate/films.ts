/** Generated per-frame scores of films with different statistics. */
import { Random } from "../../src/engine/estimate/random.ts";
import { lognormal, normal } from "./distributions.ts";

/** Per-frame scores of a film, and the frames at which its encoder would place key frames: the cuts. */
export interface Film {
  readonly name: string;
  readonly scores: Float64Array;
  readonly cuts: readonly number[];
}

interface Style {
  readonly name: string;
  readonly rate: number;
  readonly minutes: number;
  /** Median length of a scene in seconds; lengths are lognormal. */
  readonly sceneSeconds: number;
  /** The mean score of a scene that begins at this share of the film. */
  readonly sceneMean: (random: Random, share: number) => number;
  /** Standard deviation within a scene: AR(1), with a correlation of 0.95 between frames at 24 frames per second. */
  readonly within: number;
  /** Changes the finished scores. */
  readonly edit?: (scores: Float64Array, rate: number, random: Random) => void;
}

const around = (mean: number, deviation: number) => (random: Random) => mean + deviation * normal(random);

const STYLES: readonly Style[] = [
  {
    ...{ name: "drama", rate: 24, minutes: 60, sceneSeconds: 4, within: 1.5 },
    sceneMean: around(92, 3.5),
    edit: (scores, rate) => scores.fill(99.5, scores.length - 240 * rate),
  },
  {
    ...{ name: "action-low-rate", rate: 24, minutes: 120, sceneSeconds: 2.5, within: 4 },
    sceneMean: around(76, 9),
    edit: (scores, rate) => scores.fill(100, scores.length - 480 * rate),
  },
  { ...{ name: "two-modes", rate: 24, minutes: 60, sceneSeconds: 5, within: 1 }, sceneMean: twoModes },
  {
    ...{ name: "saturated", rate: 25, minutes: 60, sceneSeconds: 4, within: 1 },
    sceneMean: (random) => 104 - lognormal(random, 1.5, 0.9),
  },
  {
    ...{ name: "drift", rate: 24, minutes: 60, sceneSeconds: 6, within: 2 },
    sceneMean: (random, share) => 95 - 20 * share + 4 * Math.sin(12 * share) + 2 * normal(random),
  },
  {
    ...{ name: "one-glitch", rate: 24, minutes: 60, sceneSeconds: 4, within: 1.5 },
    sceneMean: around(94, 2),
    edit: glitches(1, 3, 5),
  },
  {
    ...{ name: "ten-glitches", rate: 24, minutes: 60, sceneSeconds: 4, within: 1.5 },
    sceneMean: around(94, 2),
    edit: glitches(10, 3, 5),
  },
  {
    ...{ name: "identical-but-20-s", rate: 24, minutes: 60, sceneSeconds: 4, within: 0 },
    sceneMean: () => 100,
    edit: glitches(1, 20, 0),
  },
  {
    ...{ name: "identical-but-2 %", rate: 24, minutes: 60, sceneSeconds: 4, within: 0 },
    sceneMean: () => 100,
    edit: glitches(24, 3, 60),
  },
  {
    ...{ name: "dropped-frames", rate: 24, minutes: 60, sceneSeconds: 4, within: 1.5 },
    sceneMean: around(90, 3),
    edit: (scores, _rate, random) => {
      for (let frame = 0; frame < scores.length; frame += 20 + random.below(200)) scores[frame] = 20;
    },
  },
  {
    ...{ name: "sports-60-fps", rate: 60, minutes: 60, sceneSeconds: 9, within: 4 },
    sceneMean: around(84, 6),
    edit: pulse(2, 3),
  },
  { ...{ name: "two-cameras", rate: 25, minutes: 60, sceneSeconds: 7, within: 1 }, sceneMean: cameras() },
  {
    ...{ name: "half-black", rate: 25, minutes: 60, sceneSeconds: 4, within: 2 },
    sceneMean: (random, share) => (share % 0.2 < 0.1 ? 100 : 70 + 4 * normal(random)),
  },
  {
    ...{ name: "skewed", rate: 24, minutes: 60, sceneSeconds: 3.5, within: 1.5 },
    sceneMean: (random) => 98 - lognormal(random, 3, 0.9),
  },
  {
    ...{ name: "film-120-min", rate: 24, minutes: 120, sceneSeconds: 4, within: 2 },
    sceneMean: around(90, 5),
    edit: (scores, rate) => scores.fill(99, scores.length - 420 * rate),
  },
  { ...{ name: "news", rate: 25, minutes: 10, sceneSeconds: 6, within: 1.5 }, sceneMean: around(91, 4) },
  {
    ...{ name: "user-video-60-fps", rate: 60, minutes: 10, sceneSeconds: 20, within: 6 },
    sceneMean: around(72, 8),
  },
  { ...{ name: "trailer", rate: 24, minutes: 2, sceneSeconds: 1.2, within: 3 }, sceneMean: around(82, 9) },
  { ...{ name: "clip-60-fps", rate: 60, minutes: 2, sceneSeconds: 5, within: 2 }, sceneMean: around(93, 3) },
];

export function generatedFilms(): readonly Film[] {
  return STYLES.map((style, index) => generate(style, Random.ofSeed(1000 + index)));
}

function generate(style: Style, random: Random): Film {
  const scores = new Float64Array(Math.round(style.minutes * 60 * style.rate));
  const cuts: number[] = [];
  const correlation = 0.95 ** (24 / style.rate);
  const innovation = style.within * Math.sqrt(1 - correlation ** 2);
  let [left, mean, deviation] = [0, 0, 0];
  for (let frame = 0; frame < scores.length; frame++) {
    if (left-- <= 0) {
      cuts.push(frame);
      left = Math.round(Math.max(0.5, lognormal(random, style.sceneSeconds, 0.8)) * style.rate);
      mean = style.sceneMean(random, frame / scores.length);
      deviation = style.within * normal(random);
    }
    deviation = correlation * deviation + innovation * normal(random);
    scores[frame] = mean + deviation;
  }
  style.edit?.(scores, style.rate, random);
  return { name: style.name, scores: scores.map((score) => Math.min(100, Math.max(0, score))), cuts };
}

function twoModes(random: Random): number {
  return random.below(4) === 0 ? 70 + 3 * normal(random) : 94 + 2 * normal(random);
}

function cameras(): (random: Random) => number {
  let scene = 0;
  return (random) => (scene++ % 2 === 0 ? 93 : 85) + normal(random);
}

/** `count` separate parts of `seconds` with about this score, at random times. */
function glitches(count: number, seconds: number, score: number) {
  return (scores: Float64Array, rate: number, random: Random): void => {
    for (let glitch = 0; glitch < count; glitch++) {
      const first = random.below(scores.length - seconds * rate);
      scores.fill(score, first, first + seconds * rate);
    }
  };
}

/** Scores that fall and rise with the encoder's key frames, every `seconds`. */
function pulse(seconds: number, height: number) {
  return (scores: Float64Array, rate: number): void => {
    for (const [frame, score] of scores.entries()) {
      scores[frame] = score + height * Math.cos((2 * Math.PI * frame) / (seconds * rate));
    }
  };
}

/** Key frames 12 to 83 frames apart. */
export function randomCuts(frames: number, random: Random): readonly number[] {
  const cuts: number[] = [];
  for (let cut = 0; cut < frames; cut += 12 + random.below(72)) cuts.push(cut);
  return cuts;
}
