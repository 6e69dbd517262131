/** The results of the engine. */

import type { Interval } from "../../jobs/gates/interval.ts";
import type { ScoredSpan } from "../../jobs/scores/spans.ts";
import type { FrameTable } from "../frames/frame-table.ts";
import type { AlignmentInfo } from "./alignment.ts";
import type { EstimateInfo, EstimateProgress } from "./estimate.ts";
import type { Finding } from "./finding.ts";
import type { PictureRequest, SampleMatrix, SampleRange } from "./picture.ts";
import type { Encode } from "./request.ts";

/** Pooled values of one metric. The formulas are in pool.ts. */
export interface Pooled {
  readonly mean: number;
  readonly harmonicMean: number;
  readonly min: number;
  readonly max: number;
  readonly stdDev: number;
  readonly p1: number;
  readonly p5: number;
  readonly p10: number;
  readonly p50: number;
}

/** Facts about a file. */
export interface MediaInfo {
  /** mp4, matroska, mpegts, y4m, yuv … */
  readonly container: string;
  readonly codec: string;
  /** Coded size in pixels. */
  readonly width: number;
  readonly height: number;
  /** Sample layout after decoding, for example yuv420p10le. */
  readonly pixelFormat: string;
  readonly bitDepth: number;
  /** Fraction such as "25/1"; empty if the file states none. */
  readonly frameRate: string;
  /** Number of frames that play. */
  readonly frames: number;
  readonly colorRange: "limited" | "full" | "";
  /** By ffmpeg's names, such as "smpte2084" and "bt2020"; empty if the file states none. */
  readonly colorTransfer: string;
  readonly colorPrimaries: string;
  /** Displayed width of a sample to its height, such as "16:15"; empty if the file states none. */
  readonly sampleAspectRatio: string;
  /** In clockwise degrees. */
  readonly rotation: number;
  /**
   * The encoder that the file names, such as "Lavc61.3.100 libx264", up to 100 characters; absent if it names none, and
   * in results of versions that did not record it.
   */
  readonly encoder?: string;
  /** Size of the file; absent if only the track was reported. */
  readonly bytes?: number;
  /** Seconds that the frames take at the stated rate; absent if none is stated. */
  readonly duration?: number;
  /** Bits per second of the whole file, all tracks included, over its duration. */
  readonly bitRate?: number;
  /** Bytes of the video track's coded frames; absent in results of versions that did not record them. */
  readonly videoBytes?: number;
  /** Bits per second of the video track over the duration; absent if either is absent. */
  readonly videoBitRate?: number;
}

export interface ScalingInfo {
  readonly fromWidth: number;
  readonly fromHeight: number;
  readonly toWidth: number;
  readonly toHeight: number;
  readonly algorithm: "bicubic";
}

/** The conversion from the distorted video's samples to the reference's. Only converted properties are set. */
export interface ColourConversion {
  readonly fromRange?: SampleRange;
  readonly toRange?: SampleRange;
  readonly fromMatrix?: SampleMatrix;
  readonly toMatrix?: SampleMatrix;
}

export interface Warning {
  /** Stable code, for example SCALED. */
  readonly code: string;
  readonly message: string;
}

export interface ScorerInfo {
  readonly program: "ffmpeg" | "vmaf";
  /** The executable's own version. */
  readonly version: string;
  readonly libvmafVersion: string;
}

export interface ModelScore {
  /** As requested. */
  readonly model: string;
  /** Key in pooled and frames: "vmaf" for the first model, else the name as requested. */
  readonly metric: string;
  readonly score: number;
  /** The interval that contains the mean of all frames; absent unless it was estimated. */
  readonly interval?: Interval;
  /** The model that was used; differs from `model` if that is a short name. */
  readonly name: string;
  /** Why it was chosen for the short name; empty if `model` is not one. */
  readonly reason: string;
  /** The largest score of the model; the smallest is 0. */
  readonly maxScore: number;
  /** Bits per sample at which the model was applied. */
  readonly bitDepth: number;
  /**
   * How the distorted video was encoded, according to what the model was given; absent if the model takes no
   * encode.
   */
  readonly encode?: Encode;
}

export interface ScoreResult {
  /** The mean of the first model over all frames, or its estimate. */
  readonly score: number;
  readonly model: string;
  readonly models: readonly ModelScore[];
  /** Feature → mean, or its estimate without an interval; includes the models' own features but not the models. */
  readonly features: Readonly<Record<string, number>>;
  /** Metric (models and features) → pooled values; empty in an estimate, which knows only means. */
  readonly pooled: Readonly<Record<string, Pooled>>;
  /** The number of frames that were scored. */
  readonly frameCount: number;
  /** How the means were estimated from a sample of the frames; undefined: all frames were scored. */
  readonly estimate: EstimateInfo | undefined;
  readonly reference: MediaInfo;
  readonly distorted: MediaInfo;
  readonly scaling: ScalingInfo | undefined;
  /** Which frames of the files were compared; undefined: frames with equal numbers. */
  readonly alignment: AlignmentInfo | undefined;
  /** The requested crop; undefined: whole pictures were compared. */
  readonly crop: PictureRequest["crop"];
  readonly mirror: PictureRequest["mirror"];
  /** How the distorted video's samples were converted, as requested; undefined: no conversion. */
  readonly colourConversion: ColourConversion | undefined;
  readonly warnings: readonly Warning[];
  /** Findings about how the videos relate, the gravest first. */
  readonly findings: readonly Finding[];
  /**
   * Shots of the reference in order, scored by the first model; empty if they are not known: in an estimate, with a scorer
   * that does not detect them, or if there are more than 10,000.
   */
  readonly shots: readonly ScoredSpan[];
  /**
   * If the distorted video is a rendition of a stream: its segments in order, scored by the first model.
   * Empty for other videos, and if the segments are not known: in an estimate, if only some frames were
   * compared or no file states a frame rate, or if there are more than 10,000.
   */
  readonly streamSegments: readonly ScoredSpan[];
  readonly scorer: ScorerInfo;
  readonly durationMs: number;
  /** The number of segments scored, and why the pair was scored whole although segments were requested. */
  readonly cutting: { readonly segments: number; readonly whole: string | undefined };
  /** Values of every metric for the scored frames; always present, compact. */
  readonly frames: FrameTable;
}

/** Progress of a score. */
export interface Progress {
  readonly framesDone: number;
  readonly framesTotal: number;
  /** Frames per second since scoring started; 0 until the first frame. */
  readonly fps: number;
  /** Estimate; undefined until the first frame. */
  readonly secondsLeft: number | undefined;
  /** The estimate so far, if one was requested; undefined until there is one. */
  readonly estimate?: EstimateProgress | undefined;
}
