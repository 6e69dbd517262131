/** The repair in a plan, which was made before the pair was planned. */
import { MAX_RUNS } from "../../jobs/request-limits.ts";
import {
  type Decoder,
  listOf,
  numberIn,
  oneOf,
  optional,
  record,
  textLike,
  wholeNumber,
} from "../../platform/strict-json.ts";
import { CONFIDENCES, FINDING_CODES, type Fix, MAX_FINDINGS } from "../contract/finding.ts";
import type { Repair } from "../contract/fix.ts";
import { MATRICES, MIRRORINGS, RANGES } from "../contract/picture.ts";
import { givenSides, SIDES } from "../contract/request.ts";
import { MAX_FRAMES } from "../media/track.ts";

const frame = wholeNumber(0, MAX_FRAMES);
const length = wholeNumber(0, 2 ** 16);
const area = record({ x: length, y: length, width: length, height: length });
const perSideOf = <T>(decoder: Decoder<T>) =>
  record({ reference: optional(decoder), distorted: optional(decoder) });

const fixDecoder = record({
  offset: optional(wholeNumber(-MAX_FRAMES, MAX_FRAMES)),
  runs: optional(listOf(record({ reference: frame, distorted: frame, count: frame }), MAX_RUNS)),
  crop: optional(perSideOf(area)),
  mirror: optional(perSideOf(oneOf(...MIRRORINGS))),
  rangeOf: optional(perSideOf(oneOf(...RANGES))),
  matrixOf: optional(perSideOf(oneOf(...MATRICES))),
});

const findingDecoder = record({
  code: oneOf(...FINDING_CODES),
  side: optional(oneOf(...SIDES)),
  frames: optional(record({ first: frame, count: frame })),
  area: optional(area),
  size: optional(numberIn(-1e9, 1e9)),
  confidence: oneOf(...CONFIDENCES),
  evidence: textLike(/^\P{Cc}{1,1000}$/u),
  fix: optional(fixDecoder),
});

/** Limit of runs in a fix that is repeated in its finding. */
const MOST_REPEATED = 20;

const decoder = record({ fix: fixDecoder, findings: listOf(findingDecoder, MAX_FINDINGS) });

export const repairDecoder: Decoder<Repair> = (value, path) => {
  const { fix, findings } = decoder(value, path);
  return {
    fix: toFix(fix),
    findings: findings.map(({ fix: own, ...finding }) => ({ ...finding, ...(own && { fix: toFix(own) }) })),
  };
};

function toFix({ offset, runs, crop, mirror, rangeOf, matrixOf }: ReturnType<typeof fixDecoder>): Fix {
  return {
    ...{ offset, runs, crop: givenSides(crop ?? {}), mirror: givenSides(mirror ?? {}) },
    ...{ rangeOf: givenSides(rangeOf ?? {}), matrixOf: givenSides(matrixOf ?? {}) },
  };
}

/**
 * Returns the repair in the form of a plan: a long fix is written once, and not repeated with each finding.
 */
export function repairText({ fix, findings }: Repair): object {
  const isLong = ({ runs = [] }: Fix) => runs.length > MOST_REPEATED;
  const named = findings
    .slice(0, MAX_FINDINGS)
    .map(({ fix: own, ...finding }) => ({ ...finding, ...(own && !isLong(own) && { fix: own }) }));
  return { fix, findings: named };
}
