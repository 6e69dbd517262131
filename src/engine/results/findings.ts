/** Joins the findings of a pair's parts. */
import { CONFIDENCES, type Finding, MAX_FINDINGS } from "../contract/finding.ts";
import type { Repair } from "../contract/fix.ts";
import type { Warning } from "../contract/result.ts";
import { isUncheckedSample } from "../contract/unchecked.ts";

/**
 * Returns the repaired findings and those of all examined parts, the gravest first. A finding about all
 * frames is listed once, even if only the first part has its fix; findings about certain frames stay
 * separate.
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
 * Returns the findings of the examined parts. A note that a part's pictures could not show a property of the samples is
 * left out if another part shows it: a video has one range, one matrix and one kind of fields.
 */
export function findingsOfAll(parts: readonly (readonly Finding[])[]): readonly Finding[] {
  const comparable = parts.filter(
    (part) => !part.some((finding) => finding.code === "NOT_CHECKED" && !isUncheckedSample(finding)),
  );
  const isEverywhere = ({ evidence }: Finding) =>
    comparable.every((part) => part.some((other) => other.evidence === evidence));
  return parts.flat().filter((finding) => !isUncheckedSample(finding) || isEverywhere(finding));
}

/** Returns the warnings about findings that were not repaired. */
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
