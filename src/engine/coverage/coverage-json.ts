/**
 * A coverage as part of a segment's JSON (planning/plan-json.ts). It is kept short, because a film has a
 * thousand segments.
 */
import {
  flag,
  listOf,
  numberIn,
  optional,
  record,
  textLike,
  wholeNumber,
} from "../../platform/strict-json.ts";
import { givenSides } from "../contract/request.ts";
import { MAX_FRAMES } from "../media/track.ts";
import { type Coverage, type Coverages, MAX_RANGES } from "./ranges.ts";

const packets = wholeNumber(1, MAX_FRAMES);
const position = wholeNumber(0, Number.MAX_SAFE_INTEGER);
const coverageDecoder = record({
  /** First and last byte of each range. */
  ranges: listOf(position, 2 * MAX_RANGES),
  seek: optional(numberIn(-1e13, 1e13)),
  listed: packets,
  from: wholeNumber(-Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER),
  packets,
  digest: textLike(/^[0-9a-f]{64}$/),
  byPlace: optional(flag),
});

export const coveragesDecoder = record({
  reference: optional(coverageDecoder),
  distorted: optional(coverageDecoder),
});

export function coveragesText({ reference, distorted }: Coverages): object {
  return { reference: reference && coverageText(reference), distorted: distorted && coverageText(distorted) };
}

function coverageText({ ranges, proof: { byPlace, ...proof } }: Coverage): object {
  const places = byPlace ? { byPlace } : {};
  return { ranges: ranges.flatMap(({ first, last }) => [first, last]), ...proof, ...places };
}

/** Returns undefined if neither side has a coverage. */
export function toCoverages({
  reference,
  distorted,
}: ReturnType<typeof coveragesDecoder>): Coverages | undefined {
  return givenSides({
    reference: reference && toCoverage(reference),
    distorted: distorted && toCoverage(distorted),
  });
}

function toCoverage({ ranges, byPlace = false, ...proof }: ReturnType<typeof coverageDecoder>): Coverage {
  const pairs = Array.from({ length: ranges.length >> 1 }, (_, index) => ({
    first: ranges[2 * index] ?? 0,
    last: ranges[2 * index + 1] ?? 0,
  }));
  return { ranges: pairs, proof: { ...proof, byPlace } };
}
