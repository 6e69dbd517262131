/** The engine: probe → plan → score (whole or a frame range) → pool. */

import type { Failure } from "../platform/failure.ts";
import type { SampleRequest } from "./contract/estimate.ts";
import type { PairRequest } from "./contract/request.ts";
import type { Progress, ScoreResult } from "./contract/result.ts";
import type { WorkEngine, WorkOptions } from "./contract/work.ts";
import type { MediaRoots } from "./files/roots.ts";
import type { ProgramPlaces } from "./programs/places.ts";

export interface EngineOptions extends ProgramPlaces {
  /** --vmaf-binary: Netflix's vmaf or an ffmpeg with libvmaf; default: the bundled one, then PATH. */
  readonly scorerPath?: string | undefined;
  /**
   * Whether to score with the program that svc installed without testing it first: its hash was checked at
   * installation. If `score` fails, the program is tested then, and the failure says so if it cannot score.
   * Default: false.
   */
  readonly trustInstalled?: boolean | undefined;
  /** --model-dir: NAME.json files that take precedence over the scorer's built-in models. */
  readonly modelDir?: string | undefined;
  /** Threads per score; default: the number of cores of this machine. */
  readonly threads?: number | undefined;
  /** Directories that media may be read from, resolved for the tenant of the work; undefined: any local file. */
  readonly mediaRoots?: MediaRoots | undefined;
}

export interface ScoreOptions extends WorkOptions {
  /** Score in segments of about this many frames; the result has the same digits. Default: score the pair whole. */
  readonly segmentFrames?: number | undefined;
  /**
   * Score a random sample of the frames until the interval of the first model's mean is as narrow as requested; all
   * frames if a sample would not save time, or if the pair cannot be cut. Excludes `segmentFrames`.
   */
  readonly sample?: SampleRequest | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

export type TogetherOptions = Pick<ScoreOptions, "signal" | "timeoutMs" | "onProgress">;

/** The engine's interface for the services. `openEngine` (open.ts) returns one. */
export interface Engine extends WorkEngine {
  /** Returns the names of the available models. */
  models(): Promise<readonly string[]>;
  /** Scores a pair from its files to its pooled result. Throws Failure. */
  score(request: PairRequest, options?: ScoreOptions): Promise<ScoreResult>;
  /**
   * Scores pairs, each whole. A reference that several pairs share is decoded once for as many of them as memory allows.
   * The requests differ in their videos only. `timeoutMs` is for each pair. Returns results, and why pairs cannot be
   * scored, in the order of the requests. Throws Failure if the signal aborts.
   */
  scoreTogether(
    requests: readonly PairRequest[],
    options?: TogetherOptions,
  ): Promise<readonly (ScoreResult | Failure)[]>;
}
