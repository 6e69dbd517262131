/** The common interface of both kinds of scoring executable. */

import type { Feature } from "../contract/request.ts";
import type { ScorerInfo } from "../contract/result.ts";
import type { Model } from "../planning/models.ts";
import type { Run, RunOutcome } from "./run.ts";

export interface Scorer {
  readonly info: ScorerInfo;
  /** Returns those of the names that are built in. */
  hasModels(names: readonly string[]): Promise<readonly string[]>;
  score(run: Run): Promise<RunOutcome>;
}

/** Names of the extra metrics in libvmaf. */
export const LIBVMAF_FEATURE: Readonly<Record<Feature, string>> = {
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
export function modelOption({ name, file }: Model, index: number, colon: string): string {
  const source = file === undefined ? `version=${name}` : `path=${modelFileName(index)}`;
  return `${source}${colon}name=${modelKey(index)}`;
}

/** Returns the name of a model's file in the working directory. */
export function modelFileName(index: number): string {
  return `model${index}.json`;
}

/** Name of libvmaf's log in the working directory. */
export const LOG_FILE = "log.csv";
