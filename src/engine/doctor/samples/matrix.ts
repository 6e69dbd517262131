/** Recognises a conversion with the wrong matrix by what it mixes: chroma into luma, and one chroma into the other. */
import type { Finding } from "../../contract/finding.ts";
import { MATRICES, type SampleMatrix } from "../../contract/picture.ts";
import { SIDES, type Side } from "../../contract/request.ts";
import { UNCHECKED } from "../../contract/unchecked.ts";
import { inverted } from "../space/solve.ts";
import { coloured, type Fields } from "./fields.ts";
import { fit } from "./regression.ts";

/** What the videos say of themselves; undefined: nothing. */
export type MatrixTags = Readonly<Partial<Record<Side, SampleMatrix>>>;

/** Parts of red and blue in luma (ITU-R BT.601, BT.709, BT.2020). */
const LUMA_PARTS: Readonly<Record<SampleMatrix, readonly [red: number, blue: number]>> = {
  BT601: [0.299, 0.114],
  BT709: [0.2126, 0.0722],
  BT2020: [0.2627, 0.0593],
};

/** The shares by which one component mixes into another: chroma into luma, and one chroma into the other. */
interface Mixture {
  readonly uToY: number;
  readonly vToY: number;
  readonly vToU: number;
  readonly uToV: number;
}
const TERMS = ["uToY", "vToY", "vToU", "uToV"] as const;

/** A hypothesis: the samples of the sides are of these matrices. */
interface Hypothesis {
  readonly reference: SampleMatrix;
  readonly distorted: SampleMatrix;
  readonly mixture: Mixture;
}

const HYPOTHESES: readonly Hypothesis[] = MATRICES.flatMap((reference) =>
  MATRICES.filter((distorted) => distorted !== reference).map((distorted) => ({
    reference,
    distorted,
    mixture: mixtureOf(reference, distorted),
  })),
);

/** The matrix from R, G and B to Y (of 219 levels), U and V (of 224), row by row. */
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
  const back = inverted(toComponents(from)) ?? new Float64Array(9);
  const forth = toComponents(to);
  const at = (row: number, column: number) =>
    [0, 1, 2].reduce((sum, k) => sum + (forth[row * 3 + k] as number) * (back[k * 3 + column] as number), 0);
  return { uToY: at(0, 1), vToY: at(0, 2), vToU: at(1, 2), uToV: at(2, 1) };
}

const LEAST_BLOCKS = 150;
/** Least variation in levels of each chroma that the other does not explain: fewer hues than two say nothing. */
const VARIETY = 0.5;
/** Errors of the terms that codecs leave on any pair: chroma into luma, chroma into chroma. */
const LUMA_ERROR = 0.04;
const CHROMA_ERROR = 0.02;
/** A codec that takes colour away mixes correlated chroma by about half as much; a matrix takes away up to 5 %. */
const MIXED = 0.5;
const KEPT = 0.06;
/** By how much a hypothesis must be better than none, and how well it must fit, in squared errors; clean pairs reach 2. */
const BETTER = 5;
const FITS = 8;
/** Part of the squared error of no conversion that the best hypothesis may leave. */
const LEFT = 0.35;
/** Better by that much: certain. */
const CERTAIN = 16;
/** What a tag weighs that says otherwise, and BT.2020 without a tag: they decide between hypotheses that fit alike. */
const UNTAGGED = 1.5;

interface Measured {
  readonly mixture: Mixture;
  readonly errors: Mixture;
}

/** Times BETTER that a usual mistake must be better than none for it to be seen in spite of what the encode changes. */
const SEEN = 2;

/** Whether any of the usual mistakes would be seen. */
function shows({ errors }: Measured): boolean {
  const usual = HYPOTHESES.filter(
    ({ reference, distorted }) => reference !== "BT2020" && distorted !== "BT2020",
  );
  const none: Mixture = { uToY: 0, vToY: 0, vToU: 0, uToV: 0 };
  return usual.some(({ mixture }) => distance({ mixture, errors }, none) >= SEEN * BETTER);
}

/** Findings of the matrix: from 601 to 709 and the like; NOT_CHECKED where none would be seen. */
export function matrixFindings(fields: Fields, tags: MatrixTags = {}): Finding[] {
  const measured = measure(fields);
  if (!measured) return [UNCHECKED.matrix];
  const none = distance(measured, { uToY: 0, vToY: 0, vToU: 0, uToV: 0 });
  const best = HYPOTHESES.map((hypothesis) => ({
    hypothesis,
    off: distance(measured, hypothesis.mixture),
    doubt: doubt(hypothesis, tags),
  })).reduce((one, other) => (other.off + other.doubt < one.off + one.doubt ? other : one));
  const gain = none - best.off;
  if (gain < BETTER || best.off > Math.min(FITS, LEFT * none))
    return shows(measured) ? [] : [UNCHECKED.matrix];
  const { reference, distorted } = best.hypothesis;
  const side: Side =
    tags.reference !== undefined && tags.reference !== reference && tags.distorted === distorted
      ? "reference"
      : "distorted";
  const { mixture } = measured;
  return [
    {
      code: "MATRIX_DIFFERS",
      side,
      confidence: gain >= CERTAIN ? "certain" : "likely",
      evidence: `Chroma goes into luma by ${text(mixture.uToY)} and ${text(mixture.vToY)}, into the other chroma by ${text(mixture.vToU)} and ${text(mixture.uToV)}, as from ${reference} to ${distorted} (${TERMS.map((term) => text(best.hypothesis.mixture[term])).join(", ")}).`,
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

function distance({ mixture, errors }: Measured, expected: Mixture): number {
  return TERMS.reduce((sum, term) => sum + ((mixture[term] - expected[term]) / errors[term]) ** 2, 0);
}

/** Measures what is mixed on coloured blocks, since grey is the same by any matrix; undefined if there are too few, or too little variety of colour. */
function measure(fields: Fields): Measured | undefined {
  const { reference, distorted } = coloured(fields);
  const { y, u, v } = reference;
  if (y.length < LEAST_BLOCKS) return undefined;
  const one = new Float32Array(y.length).fill(1);
  const inU = fit(distorted.u, [u, v, one]);
  const inV = fit(distorted.v, [v, u, one]);
  // A tone curve may have changed luma: its bends must not be taken for chroma.
  const tone = [y, one, y.map((value) => (value / 128 - 1) ** 2), y.map((value) => (value / 128 - 1) ** 3)];
  const inY = fit(distorted.y, [...tone, u, v]);
  if (!inU || !inV || !inY) return undefined;
  const [uGain = 1, vToU = 0] = inU.coefficients;
  const [vGain = 1, uToV = 0] = inV.coefficients;
  const [uToY = 0, vToY = 0] = inY.coefficients.slice(4);
  const faded = [uGain, vGain].reduce((sum, gain) => sum + MIXED * Math.max(0, Math.abs(1 - gain) - KEPT), 0);
  const [ofU, ofV] = spreads(u, v);
  if (Math.min(ofU, ofV) < VARIETY) return undefined;
  const of = (residual: number, spread: number, floor: number) =>
    floor + faded + (INDEPENDENT * residual) / (Math.sqrt(y.length) * spread);
  return {
    mixture: { uToY, vToY, vToU, uToV },
    errors: {
      uToY: of(inY.residual, ofU, LUMA_ERROR),
      vToY: of(inY.residual, ofV, LUMA_ERROR),
      vToU: of(inU.residual, ofV, CHROMA_ERROR),
      uToV: of(inV.residual, ofU, CHROMA_ERROR),
    },
  };
}

/** Square root of the blocks that err together: blocks of frames close in time and place do. */
const INDEPENDENT = 5;

/** Variation of each chroma that the other does not explain. */
function spreads(u: Float32Array, v: Float32Array): [number, number] {
  const one = new Float32Array(u.length).fill(1);
  return [fit(u, [v, one])?.residual ?? 0, fit(v, [u, one])?.residual ?? 0];
}
