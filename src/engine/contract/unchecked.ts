/** Findings for sample properties that could not be checked because the pictures show too little. */
import type { Finding } from "./finding.ts";

function unchecked(evidence: string): Finding {
  return { code: "NOT_CHECKED", confidence: "possible", evidence };
}

export const UNCHECKED = {
  samples: unchecked(
    "Whether the samples are of the same range, levels and matrix is not known: the pictures have too little contrast.",
  ),
  range: unchecked(
    "Whether the samples are of the same range is not known: luma differs nearly as between the ranges, and the pictures have too little colour to decide.",
  ),
  matrix: unchecked(
    "Whether the samples are of the same matrix is not known: the pictures have too little colour, or the encode changes it.",
  ),
  fields: unchecked(
    "Whether a side is interlaced is not known: too little moves, or the encode changes the fields more than the movement does.",
  ),
} as const satisfies Record<string, Finding>;

const SENTENCES = new Set(Object.values(UNCHECKED).map(({ evidence }) => evidence));

/** Whether a finding is one of UNCHECKED. */
export function isUncheckedSample({ code, evidence }: Finding): boolean {
  return code === "NOT_CHECKED" && SENTENCES.has(evidence);
}
