/**
 * The engine: probe → plan → score (whole or a frame range) → pool.
 */

import type { PairRequest } from "./request.ts";
import type { Progress, ScoreResult } from "./result.ts";
import type { MediaRoots } from "./roots.ts";
import type { WorkEngine, WorkOptions } from "./work.ts";

export interface EngineOptions {
  /** --vmaf-binary: Netflix's vmaf or an ffmpeg with libvmaf; undefined: bundled, then PATH. */
  readonly scorerPath?: string | undefined;
  /** PATH to look for `vmaf` and `ffmpeg` on where nothing is bundled; default: none. */
  readonly searchPath?: string | undefined;
  /** --model-dir: NAME.json files that go before the scorer's built-in models. */
  readonly modelDir?: string | undefined;
  /** Threads that one score uses; default: the cores of this machine. */
  readonly threads?: number | undefined;
  /** Directories that media may be read from, those of the work's tenant; undefined: any local file. */
  readonly mediaRoots?: MediaRoots | undefined;
}

export interface ScoreOptions extends WorkOptions {
  /** Score in segments of about so many frames, with the same digits; default: in one piece. */
  readonly segmentFrames?: number | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

/** What the services see of the engine. `openEngine` (open.ts) makes one. */
export interface Engine extends WorkEngine {
  /** Names of the models that can be asked for. */
  models(): Promise<readonly string[]>;
  /** Scores a pair from its files to its pooled result. Throws Failure. */
  score(request: PairRequest, options?: ScoreOptions): Promise<ScoreResult>;
}
