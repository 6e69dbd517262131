/** Applies fixes to requests. Members that a request sets itself take precedence. */
import { type AlignmentRequest, isAligned } from "./alignment.ts";
import type { Finding, FindingCode, Fix } from "./finding.ts";
import type { PictureRequest } from "./picture.ts";
import type { PairRequest } from "./request.ts";

/** A repair that the request asked for, made before the pair was planned. */
export interface Repair {
  readonly fix: Fix;
  /** The findings that were repaired. */
  readonly findings: readonly Finding[];
}

/** Returns the request with a fix. Members of the request about frames, pictures or samples stay as they are. */
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

/** Returns the joined fixes of findings; undefined if none has a fix. */
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

/**
 * Whether a diagnosis, which examines the beginnings of the videos, may have a fix for a finding of a later
 * segment.
 */
export function isFixedFromBeginning(code: FindingCode): boolean {
  return TIME_CODES.includes(code);
}

/** Whether a request itself specifies the relation of the videos that a finding is about. */
export function isSettled(request: AlignmentRequest & PictureRequest, code: FindingCode): boolean {
  const member = PICTURE_CODES[code];
  if (member !== undefined) return request[member] !== undefined;
  return TIME_CODES.includes(code) && isAligned(request);
}
