/** A diagnosis as the commands show it: the members that the engine's diagnosis and the API's have in common. */
import type { Run } from "../../engine/contract/alignment.ts";
import type { Fix } from "../../engine/contract/finding.ts";
import type { Side } from "../../engine/contract/request.ts";
import type { MediaInfo as EngineMediaInfo } from "../../engine/contract/result.ts";
import type { Diagnosis as DiagnosisMessage, MediaInfo } from "../../gen/proto/svc/v1/scoring_pb.ts";
import { Failure } from "../../platform/failure.ts";
import { EXIT } from "../exit.ts";
import { findingView, knownFix } from "../findings/message-view.ts";
import type { FindingView } from "../findings/view.ts";

export interface DiagnosisView extends Readonly<Record<Side, EngineMediaInfo | MediaInfo>> {
  readonly findings: readonly FindingView[];
  readonly runs: readonly Run[];
  readonly fix?: Fix | undefined;
}

/** Findings reduced to their codes and confidences. */
interface Claims {
  readonly findings: readonly Pick<FindingView, "code" | "confidence">[];
}

/** Throws INTERNAL if a required field is missing. */
export function diagnosisView({
  findings,
  runs,
  fix,
  reference,
  distorted,
}: DiagnosisMessage): DiagnosisView {
  if (reference === undefined || distorted === undefined)
    throw new Failure("INTERNAL", "The server returned a diagnosis without its files.");
  return { findings: findings.map(findingView), runs, fix: fix && knownFix(fix), reference, distorted };
}

/** Returns the codes of certain and likely findings, each once. */
export function wrongCodes({ findings }: Claims): readonly string[] {
  const wrong = findings.filter(({ confidence }) => confidence !== "possible");
  return [...new Set(wrong.map(({ code }) => code))];
}

export function exitCodeOfDiagnosis(diagnosis: Claims): number {
  return wrongCodes(diagnosis).length > 0 ? EXIT.underGate : EXIT.scored;
}
