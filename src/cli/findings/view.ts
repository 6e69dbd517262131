/** A finding as the commands show it: what the engine's findings and findings from the API have in common. */
import { fromJson } from "@bufbuild/protobuf";
import type { Fix, FrameSpan } from "../../engine/contract/finding.ts";
import type { Area } from "../../engine/contract/picture.ts";
import {
  type Finding as FindingMessage,
  FindingSchema,
  type Fix as FixMessage,
  FixSchema,
} from "../../gen/proto/svc/v1/scoring_pb.ts";
import { fixOf } from "../../messages/findings.ts";
import type { Found } from "../../platform/failure.ts";

export interface FindingView {
  readonly code: string;
  /** The side at fault; undefined or empty: both, or unknown. */
  readonly side?: string | undefined;
  readonly frames?: FrameSpan | undefined;
  readonly area?: Area | undefined;
  readonly confidence: string;
  readonly evidence: string;
  readonly fix?: Fix | undefined;
  readonly fixed?: boolean | undefined;
}

/** What a failure says about a pair that was refused. */
export interface Mismatch {
  readonly findings: readonly FindingView[];
  /** undefined: none is known. */
  readonly fix: Fix | undefined;
}

/** Returns the side in whose pictures the area lies: a crop is seen on the side that still has the rest. */
export function sideOfArea({ code, side }: Pick<FindingView, "code" | "side">): string | undefined {
  if (code !== "CROPPED") return side;
  return side === "reference" ? "distorted" : "reference";
}

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
