/** The common interface of both kinds of scoring executable. */

import { Failure } from "../../platform/failure.ts";
import type { Encode, Feature, LibvmafFeature } from "../contract/request.ts";
import type { ScorerInfo } from "../contract/result.ts";
import type { PassModel } from "./passes.ts";
import type { Run, RunOutcome } from "./run.ts";
import type { Runs } from "./score-command.ts";

export interface Scorer {
  readonly info: ScorerInfo;
  /** The program. */
  readonly path: string;
  /** Returns those of the names that are built in. */
  hasModels(names: readonly string[]): Promise<readonly string[]>;
  /** Whether it can compute an extra metric. */
  hasFeature(feature: Feature): Promise<boolean>;
  score(run: Run): Promise<RunOutcome>;
  /**
   * Scores runs of one reference in one process, which decodes it once, in the sandbox and with the limits of
   * the first one. Returns undefined if it failed: only single runs show which video is the cause. The member
   * is undefined if the program cannot do this.
   */
  readonly scoreTogether?: (runs: Runs) => Promise<readonly RunOutcome[] | undefined>;
  /** Throws SCORER_NOT_FOUND if the program cannot score. Does nothing if it was tried before. */
  confirm(): Promise<void>;
}

/** Throws UNKNOWN_FEATURE for an extra metric that a scorer cannot compute. */
export async function refuseMissingFeatures(scorer: Scorer, features: readonly Feature[]): Promise<void> {
  for (const feature of features) {
    if (await scorer.hasFeature(feature)) continue;
    const { program, version } = scorer.info;
    throw new Failure(
      "UNKNOWN_FEATURE",
      `The scorer ${program} ${version} cannot compute ${feature}. Score without it, or with an ffmpeg that has its filter, such as svc's own.`,
      { found: { feature, scorer: { program, version } } },
    );
  }
}

/** Names of the extra metrics in libvmaf. */
export const LIBVMAF_FEATURE: Readonly<Record<LibvmafFeature, string>> = {
  psnr: "psnr",
  ssim: "float_ssim",
  ms_ssim: "float_ms_ssim",
  ciede: "ciede",
  cambi: "cambi",
  psnr_hvs: "psnr_hvs",
};

/** Returns the name of a model's values in libvmaf's log. It is our own name, so it needs no escaping. */
export function modelKey(index: number): string {
  return `m${index}`;
}

/** Returns libvmaf's option for a model. `colon`: the spelling of ":" in the context of the option. */
export function modelOption({ name, file, index, encode }: PassModel, colon: string): string {
  const source = file === undefined ? `version=${name}` : `path=${modelFileName(index)}`;
  const options = encode === undefined ? [] : encodeOptions(encode);
  return [source, `name=${modelKey(index)}`, ...options].join(colon);
}

function encodeOptions({ width, height, bitDepth }: Encode): readonly string[] {
  return [`cambi.enc_width=${width}`, `cambi.enc_height=${height}`, `cambi.enc_bitdepth=${bitDepth}`];
}

/** Returns the name of a model's file in the working directory. */
export function modelFileName(index: number): string {
  return `model${index}.json`;
}
