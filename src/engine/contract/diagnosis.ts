/** The diagnosis of a pair: how its two videos relate, and what would repair it. */
import type { Run } from "./alignment.ts";
import type { Finding, Fix, FrameSpan } from "./finding.ts";
import type { Side } from "./request.ts";
import type { MediaInfo } from "./result.ts";

export interface Diagnosis {
  /** The gravest first. */
  readonly findings: readonly Finding[];
  /** The frames that show the same, in order; empty if none were found to. */
  readonly runs: readonly Run[];
  /** The frames of each side that were looked at, in order. */
  readonly checked: Readonly<Record<Side, readonly FrameSpan[]>>;
  /** The fixes of all certain findings together; undefined: there are none. */
  readonly fix: Fix | undefined;
  readonly reference: MediaInfo;
  readonly distorted: MediaInfo;
  readonly durationMs: number;
}
