/** A request to the engine: a pair, the models and metrics, and the policies for videos that differ. */

import { DEFAULT_MODEL } from "../../jobs/default-models.ts";
import type { FEATURES } from "../../jobs/scores/metric-names.ts";
import type { AlignmentRequest } from "./alignment.ts";
import type { FindingsPolicy } from "./findings-policy.ts";
import type { PictureRequest } from "./picture.ts";

export type Side = "reference" | "distorted";
export const SIDES = ["reference", "distorted"] as const satisfies readonly Side[];

/** Makes a record with a value for each side. */
export function perSide<T>(of: (side: Side) => T): Readonly<Record<Side, T>> {
  return { reference: of("reference"), distorted: of("distorted") };
}

export function otherSide(side: Side): Side {
  return side === "reference" ? "distorted" : "reference";
}

/** Returns the sides that have a value; undefined: none has. */
export function givenSides<T>({
  reference,
  distorted,
}: Readonly<Partial<Record<Side, T | undefined>>>): Partial<Record<Side, T>> | undefined {
  if (reference === undefined && distorted === undefined) return undefined;
  return { ...(reference !== undefined && { reference }), ...(distorted !== undefined && { distorted }) };
}

/** An extra metric, as requests name it. */
export type Feature = (typeof FEATURES)[number];
/** The metrics that libvmaf computes. */
export type LibvmafFeature = Exclude<Feature, "xpsnr">;

/** Geometry of a headerless .yuv file. */
export interface RawVideo {
  /** In pixels. */
  readonly width: number;
  readonly height: number;
  /** For example yuv420p or yuv420p10le. */
  readonly pixelFormat: string;
  /** Frames per second as a number or a fraction; undefined: unknown and not compared. */
  readonly frameRate?: string | undefined;
}

/** The encode of the distorted video, which some models need to judge banding. */
export interface Encode {
  /** In pixels, before scaling to the reference's size. */
  readonly width: number;
  readonly height: number;
  /** Bits per sample. */
  readonly bitDepth: number;
}

export interface PairRequest extends AlignmentRequest, PictureRequest {
  /** Paths on this machine. */
  readonly reference: string;
  readonly distorted: string;
  /** At least one; the first is the one that `score` reports. */
  readonly models: readonly string[];
  readonly features: readonly Feature[];
  readonly rawVideo?: RawVideo | undefined;
  /** AUTO scales the distorted video to the reference's size. */
  readonly scaling: "AUTO" | "REFUSE";
  readonly onFrameCountMismatch: "REFUSE" | "COMMON";
  readonly onFrameRateMismatch: "REFUSE" | "COMMON";
  readonly editLists: "APPLY" | "IGNORE";
  /** Score only every n-th frame; 1: every frame. */
  readonly subsample: number;
  /** Replaces the encode that the distorted file states, for example if the video was scaled or padded since. */
  readonly encode?: Partial<Encode> | undefined;
  /** The version of the scorer or of its libvmaf to score with; undefined: the default scorer of the machine. */
  readonly scorerVersion?: string | undefined;
  /** The policy on findings about the pair (docs/doctor.md). */
  readonly findings?: FindingsPolicy | undefined;
  /** Diagnose the pair first, and apply the fixes of all certain findings. Members of the request take precedence. */
  readonly fix?: boolean | undefined;
}

/** Fills in the defaults of the contract. */
export function pairRequest(
  pair: Pick<PairRequest, "reference" | "distorted"> & Partial<PairRequest>,
): PairRequest {
  return {
    models: [DEFAULT_MODEL],
    features: [],
    scaling: "AUTO",
    onFrameCountMismatch: "REFUSE",
    onFrameRateMismatch: "REFUSE",
    editLists: "APPLY",
    subsample: 1,
    ...pair,
  };
}
