/** The diagnosis of a pair: how its two videos relate, and the fix that would repair the pair. */
import type { Run } from "./alignment.ts";
import type { Finding, Fix, FrameSpan } from "./finding.ts";
import type { Side } from "./request.ts";
import type { MediaInfo } from "./result.ts";

export interface Diagnosis {
  /** The gravest first. */
  readonly findings: readonly Finding[];
  /** The frames that show the same content, in order; empty if none were found. */
  readonly runs: readonly Run[];
  /** The frames of each side that were examined, in order. */
  readonly checked: Readonly<Record<Side, readonly FrameSpan[]>>;
  /** The fixes of all certain findings together; undefined: there are none. */
  readonly fix: Fix | undefined;
  readonly reference: MediaInfo;
  readonly distorted: MediaInfo;
  readonly durationMs: number;
}
