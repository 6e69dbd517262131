/** The cases of the corpus. Class and seed determine each case. */
import { Random } from "../../../src/engine/estimate/random.ts";
import { CONTENTS, type Content } from "./contents.ts";
import { Draw } from "./draw.ts";
import { type Fault, type Recipe, recipe, type Scene } from "./fault.ts";
import { CLEAN } from "./faults/clean.ts";
import { COLOUR_FAULTS } from "./faults/colours.ts";
import { RATE_FAULTS } from "./faults/rate.ts";
import { SAMPLE_FAULTS } from "./faults/samples.ts";
import { SPACE_FAULTS } from "./faults/space.ts";
import { TIME_FAULTS } from "./faults/time.ts";
import { WHOLE_FAULTS } from "./faults/whole.ts";
import { drawTreatment, encodable, type Treatment } from "./treatment.ts";

/** A diagnosis may be tuned on the development half, and is measured on the held-out half. */
export type Half = "development" | "held-out";

/** Throws if there is no such half. */
export function halfNamed(name: string): Half {
  if (name === "development" || name === "held-out") return name;
  throw new Error(`no half ${name}; there are: development, held-out`);
}

export interface Case {
  /** "offset-17" */
  readonly id: string;
  readonly class: string;
  readonly seed: number;
  readonly half: Half;
  readonly scene: Scene;
  readonly treatment: Treatment;
  readonly recipe: Recipe;
}

const FAULTS: Readonly<Record<string, Fault>> = {
  ...TIME_FAULTS,
  ...RATE_FAULTS,
  ...SPACE_FAULTS,
  ...SAMPLE_FAULTS,
  ...WHOLE_FAULTS,
  ...COLOUR_FAULTS,
  ...CLEAN,
};

/** Cases of each class; 1,520 faults and 1,140 clean pairs. */
const COUNTS: Readonly<Record<string, number>> = {
  ...{ offset: 100, "start-missing": 60, trimmed: 60, drops: 60, "drops-equal": 60, "long-drop": 40 },
  ...{ duplicates: 50, "duplicates-equal": 50, "drop-and-duplicate": 50, "offset-and-drops": 50 },
  ...{ freeze: 50, repeated: 40, gap: 40 },
  ...{ rate: 60, telecine: 30, interlaced: 40 },
  ...{ cropped: 60, letterbox: 40, pillarbox: 40, padded: 30, aspect: 30, mirrored: 40, rotated: 30 },
  ...{ range: 60, matrix: 40, levels: 30 },
  ...{ "other-content": 40, "later-part": 40, swapped: 40, black: 20, "frozen-side": 20, identical: 20 },
  ...{ clean: 1000, "clean-bars": 60, "clean-near-size": 40 },
  // The position of a class determines its seeds, so new classes come last.
  ...{ transfer: 40, "transfer-tag": 20, primaries: 20, "clean-hdr": 40 },
  "field-order": 20,
};

export const CLASSES = Object.keys(COUNTS);

export interface Choice {
  readonly classes: readonly string[];
  readonly half: Half;
  /** The share of the cases of each class; at least one case is chosen. */
  readonly share: number;
}

/** Returns the chosen cases, interleaved: the first of each class first. */
export function chooseCases({ classes, half, share }: Choice): Case[] {
  const chosen = classes.flatMap((name) => {
    const cases = casesOf(name).filter((one) => one.half === half);
    return cases
      .slice(0, Math.ceil(cases.length * share))
      .map((one, place) => ({ one, place: place / cases.length }));
  });
  return chosen.sort((a, b) => a.place - b.place).map(({ one }) => one);
}

/** Number of seeds of a class, so that adding cases to a class changes no other class. */
const SEEDS_PER_CLASS = 10_000;

/** Returns the cases of a class in order. Those with even numbers are the development half. */
function casesOf(name: string): Case[] {
  const fault = FAULTS[name];
  if (fault === undefined) throw new Error(`no class ${name}; there are: ${CLASSES.join(", ")}`);
  const first = CLASSES.indexOf(name) * SEEDS_PER_CLASS;
  return Array.from({ length: COUNTS[name] ?? 0 }, (_, index) =>
    drawCase(name, fault, { index, seed: first + index }),
  );
}

function drawCase(name: string, fault: Fault, { index, seed }: { index: number; seed: number }): Case {
  const draw = new Draw(Random.ofSeed(seed));
  const scene = drawScene(draw, seed);
  const treatment = encodable(drawTreatment(draw), scene.rate);
  return {
    ...{ id: `${name}-${index}`, class: name, seed, half: index % 2 === 0 ? "development" : "held-out" },
    ...{ scene, treatment, recipe: fault({ draw, scene, treatment }) },
  };
}

/** Returns the case without its fault: the same scene, encoded in the same way. */
export function withoutFault(one: Case): Case {
  const { scene, seed } = one;
  const { reference, distorted } = one.recipe;
  const encoded = (distorted === "same file" ? undefined : distorted.treatment) ?? reference.treatment;
  const treatment = encoded ?? one.treatment;
  const given = { draw: new Draw(Random.ofSeed(seed)), scene, treatment };
  return { ...one, id: `${one.id}-without`, recipe: recipe(given, {}, { expected: [] }) };
}

const RATES: readonly { readonly rate: string; readonly perSecond: number }[] = [
  { rate: "24000/1001", perSecond: 24 },
  { rate: "24", perSecond: 24 },
  { rate: "25", perSecond: 25 },
  { rate: "25", perSecond: 25 },
  { rate: "30", perSecond: 30 },
  { rate: "50", perSecond: 50 },
  { rate: "60", perSecond: 60 },
];

const SIZES = [
  { width: 320, height: 180 },
  { width: 480, height: 270 },
  { width: 640, height: 360 },
];
const LARGE = { width: 1280, height: 720 };
const MAX_FRAMES = 320;

function drawScene(draw: Draw, seed: number): Scene {
  const content = drawContent(draw);
  const { rate, perSecond } = draw.one(RATES);
  const fitting = SIZES.filter(({ width }) => width <= content.maxWidth);
  const size = content.maxWidth >= LARGE.width && draw.chance(0.3) ? LARGE : draw.one(fitting);
  const seconds = draw.number(2, 8);
  // Faults use up to a quarter more frames than the pair has.
  const frames = Math.floor(Math.min(seconds * perSecond, content.frames * 0.79, MAX_FRAMES));
  return { ...size, content, seed, rate, frames };
}

function drawContent(draw: Draw): Content {
  const total = CONTENTS.reduce((sum, { weight }) => sum + weight, 0);
  let left = draw.number(0, total);
  for (const content of CONTENTS) {
    left -= content.weight;
    if (left < 0) return content;
  }
  throw new Error("there are no contents");
}
