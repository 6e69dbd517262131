/** Checks a diagnosis that a node reports. */
import { toJsonString } from "@bufbuild/protobuf";
import { SIDES } from "../../engine/contract/request.ts";
import { type Diagnosis, DiagnosisSchema, type MediaInfo } from "../../gen/proto/svc/v1/scoring_pb.ts";
import { MAX_RUNS } from "../../jobs/request-limits.ts";
import { fixOf } from "../../messages/findings.ts";
import { invalid } from "../../platform/failure.ts";
import type { DiagnosisRecord } from "../../store/contract/task-records.ts";
import { checkFindings } from "./findings.ts";

/** Most spans of checked frames per side; a diagnosis has a few. */
const MAX_SPANS = 100;
/** Most characters of a codec's or another name in a file. */
const MAX_TEXT = 200;

/** Checks a diagnosis and converts it to a record. Throws INVALID_REQUEST. */
export function diagnosisRecord(diagnosis: Diagnosis): DiagnosisRecord {
  const { findings, runs, checked, fix, durationMs } = diagnosis;
  checkFindings(findings, "diagnosis.findings");
  atMost("runs", runs, MAX_RUNS);
  for (const side of SIDES) atMost(`checked.${side}`, checked?.[side] ?? [], MAX_SPANS);
  if (fix !== undefined) {
    atMost("fix.runs", fix.runs, MAX_RUNS);
    fixOf(fix);
  }
  checkNumber("durationMs", durationMs);
  const [, distorted] = SIDES.map((side) => checkedMedia(side, diagnosis[side])) as [MediaInfo, MediaInfo];
  const { codec, width, height, videoBitRate, encoder } = distorted;
  const media = { codec, width, height, videoBitRate, ...(encoder && { encoder }) };
  return { result: toJsonString(DiagnosisSchema, diagnosis), media };
}

function atMost(name: string, list: readonly unknown[], most: number): void {
  if (list.length > most) throw invalid(`diagnosis.${name} has ${list.length} entries. Use at most ${most}.`);
}

function checkNumber(name: string, value: number): void {
  if (!(value >= 0 && Number.isFinite(value))) throw invalid(`diagnosis.${name} is ${value}.`);
}

function checkedMedia(side: string, media: MediaInfo | undefined): MediaInfo {
  if (media === undefined) throw invalid(`diagnosis.${side} is missing.`);
  for (const [name, value] of Object.entries(media)) {
    if (typeof value === "number") checkNumber(`${side}.${name}`, value);
    if (
      typeof value === "string" &&
      (value.length > MAX_TEXT || !value.isWellFormed() || /\p{Cc}/u.test(value))
    )
      throw invalid(
        `diagnosis.${side}.${name} is longer than ${MAX_TEXT} characters, or has a control character.`,
      );
  }
  return media;
}
