/** The part of a diagnosis that the bench judges. */
import type { Diagnosis } from "../../src/engine/contract/diagnosis.ts";
import type { Finding as EngineFinding, Fix } from "../../src/engine/contract/finding.ts";

/** A refusal counts as a finding with its code. */
export interface Finding extends Pick<EngineFinding, "side" | "frames" | "confidence" | "fix"> {
  readonly code: string;
  readonly evidence?: string;
}

export interface Found extends Pick<Diagnosis, "runs"> {
  readonly findings: readonly Finding[];
}

export type { Fix };
