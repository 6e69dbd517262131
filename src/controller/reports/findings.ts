/**
 * Checks the findings that nodes report. Those of segments are stored as text and parsed when the segments are joined.
 */
import { fromJson, type JsonValue, toJson } from "@bufbuild/protobuf";
import { type Finding, MAX_FINDINGS, MAX_FIX_RUNS } from "../../engine/contract/finding.ts";
import { type Finding as FindingMessage, FindingSchema } from "../../gen/proto/svc/v1/scoring_pb.ts";
import { findingOf } from "../../messages/findings.ts";
import { invalid } from "../../platform/failure.ts";

const MAX_EVIDENCE = 1_000;

/** Returns the text to store; undefined without findings. Throws INVALID_REQUEST. */
export function findingsText(findings: readonly FindingMessage[]): string | undefined {
  if (findings.length === 0) return undefined;
  checkFindings(findings, "segment.findings");
  return JSON.stringify(findings.map((finding) => toJson(FindingSchema, finding)));
}

/** `path` names the list in a failure. Throws INVALID_REQUEST. */
export function checkFindings(findings: readonly FindingMessage[], path: string): void {
  if (findings.length > MAX_FINDINGS)
    throw invalid(`${path} has ${findings.length} findings. Use at most ${MAX_FINDINGS}.`);
  for (const [index, finding] of findings.entries()) check(finding, `${path}[${index}]`);
}

/** Parses the findings of a stored text. */
export function readFindings(text: string): readonly Finding[] {
  const list = JSON.parse(text) as readonly JsonValue[];
  return list.map((finding) => findingOf(fromJson(FindingSchema, finding, { ignoreUnknownFields: true })));
}

function check(message: FindingMessage, path: string): void {
  const { evidence, size, fix, fixed } = findingOf(message);
  if (evidence === "" || evidence.length > MAX_EVIDENCE)
    throw invalid(`${path}.evidence has ${evidence.length} characters. Use 1 to ${MAX_EVIDENCE}.`);
  if (!evidence.isWellFormed() || /\p{Cc}/u.test(evidence))
    throw invalid(`${path}.evidence contains a control character.`);
  if (size !== undefined && !Number.isFinite(size)) throw invalid(`${path}.size is ${size}.`);
  const runs = fix?.runs?.length ?? 0;
  if (runs > MAX_FIX_RUNS)
    throw invalid(`${path}.fix.runs has ${runs} runs. Use at most ${MAX_FIX_RUNS}, or leave out the fix.`);
  if (fixed) throw invalid(`${path} is fixed. Only the plan says what was repaired.`);
}
