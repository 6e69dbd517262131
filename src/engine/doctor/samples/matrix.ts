/**
 * Recognises a conversion with the wrong matrix by what it mixes: chroma into luma, and each chroma component into
 * the other. Thresholds were tuned on the development half of the corpus of bench/doctor.
 */
import type { Finding } from "../../contract/finding.ts";
import { MATRICES, type SampleMatrix } from "../../contract/picture.ts";
import { SIDES, type Side } from "../../contract/request.ts";
import { UNCHECKED } from "../../contract/unchecked.ts";
import { invert } from "../space/solve.ts";
import type { BlockMeans } from "./block-means.ts";
import { type BothWays, distance, type Measured, type Mixture, measure, NONE } from "./mixture.ts";

/** The matrices that the videos' tags state; undefined: none. */
export type MatrixTags = Readonly<Partial<Record<Side, SampleMatrix>>>;

/** Weights of red and blue in luma (ITU-R BT.601, BT.709, BT.2020). */
const LUMA_PARTS: Readonly<Record<SampleMatrix, readonly [red: number, blue: number]>> = {
  BT601: [0.299, 0.114],
  BT709: [0.2126, 0.0722],
  BT2020: [0.2627, 0.0593],
};

const TERMS = ["uToY", "vToY", "vToU", "uToV"] as const;

/** The hypothesis that the samples of the two sides have these matrices. */
interface Hypothesis {
  readonly reference: SampleMatrix;
  readonly distorted: SampleMatrix;
  readonly mixtures: BothWays<Mixture>;
}

const HYPOTHESES: readonly Hypothesis[] = MATRICES.flatMap((reference) =>
  MATRICES.filter((distorted) => distorted !== reference).map((distorted) => ({
    reference,
    distorted,
    mixtures: { forth: mixtureOf(reference, distorted), back: mixtureOf(distorted, reference) },
  })),
);

/** The matrix from R, G and B to Y (219 levels), U and V (224 levels), row by row. */
function toComponents(name: SampleMatrix): Float64Array {
  const [red, blue] = LUMA_PARTS[name];
  const green = 1 - red - blue;
  const [u, v] = [224 / (2 * (1 - blue)), 224 / (2 * (1 - red))];
  return Float64Array.of(
    ...[219 * red, 219 * green, 219 * blue],
    ...[-red * u, -green * u, (1 - blue) * u],
    ...[(1 - red) * v, -green * v, -blue * v],
  );
}

function mixtureOf(from: SampleMatrix, to: SampleMatrix): Mixture {
  const back = invert(toComponents(from)) ?? new Float64Array(9);
  const forth = toComponents(to);
  const at = (row: number, column: number) =>
    [0, 1, 2].reduce((sum, k) => sum + (forth[row * 3 + k] as number) * (back[k * 3 + column] as number), 0);
  return { uToY: at(0, 1), vToY: at(0, 2), vToU: at(1, 2), uToV: at(2, 1) };
}

/** The usual mistakes: BT.601 and BT.709 are exchanged. */
const USUAL = HYPOTHESES.filter(
  ({ reference, distorted }) => reference !== "BT2020" && distorted !== "BT2020",
);

/**
 * By how much a hypothesis must fit better than no conversion, or worse to be ruled out, in squared errors. Clean
 * pairs reach 5 at low rates.
 */
const BETTER = 6;
/** Most of the squared error of no conversion that the best hypothesis may leave, as a part of it. */
const LEFT = 0.65;
/** The same two limits for a certain finding. */
const CERTAIN = 16;
const SURELY_LEFT = 0.35;
/**
 * Squared errors that a hypothesis loses for each side whose tag contradicts it, and for BT.2020 without a tag. This
 * decides between hypotheses that fit equally well.
 */
const UNTAGGED = 3;

/**
 * Whether all usual mistakes explain the measurement clearly worse than no conversion, whose squared error is `none`.
 */
function isNone(measured: BothWays<Measured>, none: number): boolean {
  return USUAL.every(({ mixtures }) => distance(measured, mixtures) - none >= BETTER);
}

/** The same blocks with the luma that the reference would have after each of the usual mistakes. */
export function withMistakes(means: BlockMeans): BlockMeans[] {
  const { reference } = means;
  return USUAL.map(({ mixtures: { forth } }) => {
    const y = reference.y.map(
      (luma, i) => luma + forth.uToY * (reference.u[i] as number) + forth.vToY * (reference.v[i] as number),
    );
    return { ...means, reference: { ...reference, y } };
  });
}

/** Findings about the matrix, such as 601 converted to 709; NOT_CHECKED if the pictures do not decide. */
export function matrixFindings(means: BlockMeans, tags: MatrixTags = {}): Finding[] {
  const measured = measure(means);
  if (!measured) return [UNCHECKED.matrix];
  const none = distance(measured, NONE);
  const best = HYPOTHESES.map((hypothesis) => {
    const off = distance(measured, hypothesis.mixtures);
    return { hypothesis, off, gain: none - off - doubt(hypothesis, tags) };
  }).reduce((one, other) => (other.gain > one.gain ? other : one));
  const { gain } = best;
  if (gain < BETTER || best.off > LEFT * none) return isNone(measured, none) ? [] : [UNCHECKED.matrix];
  const { reference, distorted } = best.hypothesis;
  const side: Side =
    tags.reference !== undefined && tags.reference !== reference && tags.distorted === distorted
      ? "reference"
      : "distorted";
  const { mixture } = measured.forth;
  return [
    {
      code: "MATRIX_DIFFERS",
      side,
      confidence: gain >= CERTAIN && best.off <= SURELY_LEFT * none ? "certain" : "likely",
      evidence: `Chroma goes into luma by ${text(mixture.uToY)} and ${text(mixture.vToY)}, into the other chroma by ${text(mixture.vToU)} and ${text(mixture.uToV)}, as from ${reference} to ${distorted} (${TERMS.map((term) => text(best.hypothesis.mixtures.forth[term])).join(", ")}).`,
      fix: { matrixOf: { reference, distorted } },
    },
  ];
}

function doubt(hypothesis: Hypothesis, tags: MatrixTags): number {
  return SIDES.reduce((sum, side) => {
    const isUnlikely =
      tags[side] === undefined ? hypothesis[side] === "BT2020" : tags[side] !== hypothesis[side];
    return sum + (isUnlikely ? UNTAGGED : 0);
  }, 0);
}

function text(value: number): string {
  return value.toFixed(3);
}
