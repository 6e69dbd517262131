/** Joins what was found in parts of a pair. */
import { CONFIDENCES, type Finding, MAX_FINDINGS } from "../contract/finding.ts";
import type { Repair } from "../contract/fix.ts";
import type { Warning } from "../contract/result.ts";

/**
 * Returns what was repaired, and the findings of all parts, the gravest first. What is found everywhere is named once,
 * also if only the first part has its fix; events with frames stay apart.
 */
export function joinFindings(repair: Repair | undefined, parts: readonly Finding[]): readonly Finding[] {
  const fixed = (repair?.findings ?? []).map((finding) => ({ ...finding, fixed: true }));
  const seen = new Set<string>();
  return [...fixed, ...byGravity(parts)]
    .filter(({ code, side, frames, fix }) => {
      const what = JSON.stringify([code, side, frames]);
      const withFix = JSON.stringify([what, fix]);
      const isNew = !seen.has(fix === undefined ? what : withFix);
      seen.add(what).add(withFix);
      return isNew;
    })
    .slice(0, MAX_FINDINGS);
}

/** The warnings of what was found and not repaired. */
export function findingWarnings(findings: readonly Finding[]): readonly Warning[] {
  return findings
    .filter(({ confidence, fixed }) => confidence !== "possible" && fixed !== true)
    .map(({ code, evidence }) => ({ code, message: evidence }));
}

export function byGravity(findings: readonly Finding[]): Finding[] {
  return findings.toSorted(
    (one, other) => CONFIDENCES.indexOf(one.confidence) - CONFIDENCES.indexOf(other.confidence),
  );
}
