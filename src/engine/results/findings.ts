/** Joins what was found in parts of a pair. */
import { CONFIDENCES, type Finding, MAX_FINDINGS } from "../contract/finding.ts";
import type { Repair } from "../contract/fix.ts";
import type { Warning } from "../contract/result.ts";
import { isUncheckedSample } from "../contract/unchecked.ts";

/**
 * Returns what was repaired, and the findings of all parts that were looked at, the gravest first. What is found
 * everywhere is named once, also if only the first part has its fix; events with frames stay apart.
 */
export function joinFindings(
  repair: Repair | undefined,
  parts: readonly (readonly Finding[])[],
): readonly Finding[] {
  const fixed = (repair?.findings ?? []).map((finding) => ({ ...finding, fixed: true }));
  const seen = new Set<string>();
  return [...fixed, ...byGravity(findingsOfAll(parts))]
    .filter((finding) => {
      const { code, side, frames, fix } = finding;
      const what = JSON.stringify([code, side, frames, isUncheckedSample(finding) && finding.evidence]);
      const withFix = JSON.stringify([what, fix]);
      const isNew = !seen.has(fix === undefined ? what : withFix);
      seen.add(what).add(withFix);
      return isNew;
    })
    .slice(0, MAX_FINDINGS);
}

/**
 * Returns the findings of parts that were looked at. What a part's pictures do not show of the samples is left out if
 * those of another part show it: a video has one range, one matrix and one kind of fields.
 */
export function findingsOfAll(parts: readonly (readonly Finding[])[]): readonly Finding[] {
  const comparable = parts.filter(
    (part) => !part.some((finding) => finding.code === "NOT_CHECKED" && !isUncheckedSample(finding)),
  );
  const isEverywhere = ({ evidence }: Finding) =>
    comparable.every((part) => part.some((other) => other.evidence === evidence));
  return parts.flat().filter((finding) => !isUncheckedSample(finding) || isEverywhere(finding));
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
