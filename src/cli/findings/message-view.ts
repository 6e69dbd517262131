/** Findings from the API as the commands show them. Loads the messages, which a report of the engine does not need. */
import { fromJson } from "@bufbuild/protobuf";
import type { Fix } from "../../engine/contract/finding.ts";
import {
  type Finding as FindingMessage,
  FindingSchema,
  type Fix as FixMessage,
  FixSchema,
} from "../../gen/proto/svc/v1/scoring_pb.ts";
import { fixOf } from "../../messages/findings.ts";
import type { Found } from "../../platform/failure.ts";
import type { FindingView, Mismatch } from "./view.ts";

export function findingView({ fix, ...same }: FindingMessage): FindingView {
  return { ...same, fix: fix && knownFix(fix) };
}

/** Returns the findings in the facts of a failure; none if there are none that this version can read. */
export function mismatchIn({ findings, fix }: Found): Mismatch {
  const messages = Array.isArray(findings) ? findings.flatMap((one) => parsed(FindingSchema, one) ?? []) : [];
  const whole = fix === undefined ? undefined : parsed(FixSchema, fix);
  return { findings: messages.map(findingView), fix: whole && knownFix(whole) };
}

/** A server of a later version may send more than this one knows. */
function parsed<S extends typeof FindingSchema | typeof FixSchema>(schema: S, value: unknown) {
  try {
    return fromJson<S>(schema, JSON.parse(JSON.stringify(value)), { ignoreUnknownFields: true });
  } catch {
    return undefined;
  }
}

/** Returns undefined for a fix that this version has no options for. */
export function knownFix(message: FixMessage): Fix | undefined {
  try {
    return fixOf(message);
  } catch {
    return undefined;
  }
}
