/** Fixes in requests: how they are applied, and what a request settles itself. */
import { type AlignmentRequest, isAligned } from "./alignment.ts";
import type { Finding, FindingCode, Fix } from "./finding.ts";
import type { PictureRequest } from "./picture.ts";
import type { PairRequest } from "./request.ts";

/** What was repaired before a pair was planned, as the request asked. */
export interface Repair {
  readonly fix: Fix;
  /** What was wrong. */
  readonly findings: readonly Finding[];
}

/** Returns the request with a fix. What the request itself says of the frames, the pictures or the samples stays. */
export function withFix(request: PairRequest, { offset, runs, ...picture }: Fix): PairRequest {
  const time = isAligned(request) ? {} : { offset, runs };
  return {
    ...request,
    ...time,
    crop: request.crop ?? picture.crop,
    mirror: request.mirror ?? picture.mirror,
    rangeOf: request.rangeOf ?? picture.rangeOf,
    matrixOf: request.matrixOf ?? picture.matrixOf,
  };
}

/** Returns the fixes of findings together; undefined: none has one. */
export function joinedFix(findings: readonly Finding[]): Fix | undefined {
  const fixes = findings.flatMap(({ fix }) => (fix === undefined ? [] : [fix]));
  return fixes.length === 0 ? undefined : Object.assign({}, ...fixes);
}

const PICTURE_CODES: Readonly<Partial<Record<FindingCode, "crop" | "mirror" | "rangeOf" | "matrixOf">>> = {
  CROPPED: "crop",
  BARS: "crop",
  PADDED: "crop",
  MIRRORED: "mirror",
  ROTATED: "mirror",
  RANGE_DIFFERS: "rangeOf",
  LEVELS_DIFFER: "rangeOf",
  MATRIX_DIFFERS: "matrixOf",
};
const TIME_CODES: readonly FindingCode[] = [
  ...(["OFFSET", "TRIMMED", "FRAMES_DROPPED", "FRAMES_DUPLICATED", "TIME_UNCLEAR"] as const),
];

/** Whether a finding of a later segment can have a fix in a diagnosis, which sees the videos' beginnings. */
export function isFixedFromBeginning(code: FindingCode): boolean {
  return TIME_CODES.includes(code);
}

/** Whether a request says itself how the videos relate in what a finding is about. */
export function isSettled(request: AlignmentRequest & PictureRequest, code: FindingCode): boolean {
  const member = PICTURE_CODES[code];
  if (member !== undefined) return request[member] !== undefined;
  return TIME_CODES.includes(code) && isAligned(request);
}
