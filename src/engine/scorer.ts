/** The one interface over both kinds of scoring executable. */
import type { Pairing } from "./compare.ts";
import type { Segment } from "./cut.ts";
import type { FrameTable } from "./frames.ts";
import type { Model } from "./models.ts";
import type { Checksums } from "./redecode.ts";
import type { Feature, Side } from "./request.ts";
import type { ScorerInfo } from "./result.ts";
import type { Limits, Sandbox } from "./sandbox.ts";
import type { Source } from "./source.ts";
import type { Track } from "./track.ts";

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
  /** Frames that have passed so far, context included. */
  readonly onFrames: (frames: number) => void;
}

export interface RunOutcome {
  /** Per-frame values of the segment with its context; numbered from the first frame that was seen. */
  readonly table: FrameTable;
  /** Frames that each side delivered. */
  readonly delivered: Readonly<Record<Side, number>>;
  /** Of the pictures that were compared, where a side is not self-checking: for the second decoding (redecode.ts). */
  readonly checksums: Checksums;
}

export interface Scorer {
  readonly info: ScorerInfo;
  /** Of some model names, those that are built in. */
  hasModels(names: readonly string[]): Promise<readonly string[]>;
  score(run: Run): Promise<RunOutcome>;
}

/** libvmaf's names of the extra metrics. */
export const LIBVMAF_FEATURE: Readonly<Record<Feature, string>> = {
  psnr: "psnr",
  ssim: "float_ssim",
  ms_ssim: "float_ms_ssim",
  ciede: "ciede",
  cambi: "cambi",
  psnr_hvs: "psnr_hvs",
};

/** Name under which a model's values stand in libvmaf's log: ours, so that it needs no escaping. */
export function modelKey(index: number): string {
  return `m${index}`;
}

/** How libvmaf is told of a model. `colon`: as ":" is written where the option stands. */
export function modelOption({ name, file }: Model, index: number, colon: string): string {
  const source = file === undefined ? `version=${name}` : `path=${modelFileName(index)}`;
  return `${source}${colon}name=${modelKey(index)}`;
}

/** Name of a model's file in the working directory. */
export function modelFileName(index: number): string {
  return `model${index}.json`;
}

/** Names in the working directory. */
export const LOG_FILE = "log.csv";
