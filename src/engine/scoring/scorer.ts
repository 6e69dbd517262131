/** The common interface of both kinds of scoring executable. */

import type { Feature, Side } from "../contract/request.ts";
import type { ScorerInfo } from "../contract/result.ts";
import type { Source } from "../files/source.ts";
import type { FrameTable } from "../frames/frame-table.ts";
import type { Track } from "../media/track.ts";
import type { Pairing } from "../planning/compare.ts";
import type { Segment } from "../planning/cut.ts";
import type { Model } from "../planning/models.ts";
import type { Limits, Sandbox } from "../sandbox/sandbox.ts";
import type { Checksums } from "./decode-check.ts";

/** One run of the scorer: a segment of a pair. */
export interface Run {
  readonly sandbox: Sandbox;
  readonly sources: Readonly<Record<Side, Source>>;
  readonly tracks: Readonly<Record<Side, Track>>;
  readonly pairing: Pairing;
  readonly segment: Segment;
  readonly models: readonly Model[];
  readonly features: readonly Feature[];
  readonly subsample: number;
  readonly threads: number;
  readonly limits: Limits;
  /** Called with the number of frames that have passed so far, context included. */
  readonly onFrames: (frames: number) => void;
}

export interface RunOutcome {
  /** Per-frame values of the segment with its context, numbered from the first frame that the scorer saw. */
  readonly table: FrameTable;
  /** Number of frames that each side delivered. */
  readonly delivered: Readonly<Record<Side, number>>;
  /** Checksums of the compared pictures of sides that are not self-checking, for the second decoding (redecode.ts). */
  readonly checksums: Checksums;
}

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
