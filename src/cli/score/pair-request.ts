/** Makes the engine's request from the options. */
import type { Encode, PairRequest, RawVideo } from "../../engine/contract/request.ts";
import { DEFAULT_MODEL } from "../../jobs/default-models.ts";
import { Failure } from "../../platform/failure.ts";
import { alignmentOf } from "./flags/alignment.ts";
import { DEFAULT_PIXEL_FORMAT, type FileFlags } from "./flags/file.ts";
import { findingsOf } from "./flags/findings.ts";
import { pictureOf } from "./flags/picture.ts";
import type { PairFlags } from "./options.ts";

/** Returns the engine's request. Throws INVALID_REQUEST if options don't go together. */
export function requestOf(reference: string, distorted: string, flags: PairFlags): PairRequest {
  return {
    reference,
    distorted,
    models: flags.model ?? [DEFAULT_MODEL],
    features: flags.metric ?? [],
    rawVideo: rawVideoOf(flags),
    scaling: flags.scaling ? "AUTO" : "REFUSE",
    onFrameCountMismatch: flags.onFrameCountMismatch === "common" ? "COMMON" : "REFUSE",
    onFrameRateMismatch: flags.onFrameRateMismatch === "common" ? "COMMON" : "REFUSE",
    editLists: flags.editLists === "ignore" ? "IGNORE" : "APPLY",
    subsample: flags.subsample,
    encode: encodeOf(flags),
    scorerVersion: flags.scorerVersion,
    ...alignmentOf(flags),
    ...pictureOf(flags),
    ...findingsOf(flags),
  };
}

function encodeOf({ encodeSize, encodeDepth }: PairFlags): Partial<Encode> | undefined {
  if (encodeSize === undefined && encodeDepth === undefined) return undefined;
  return { ...encodeSize, ...(encodeDepth !== undefined && { bitDepth: encodeDepth }) };
}

export function rawVideoOf({ size, pixelFormat, frameRate }: FileFlags): RawVideo | undefined {
  if (size) return { ...size, pixelFormat: pixelFormat ?? DEFAULT_PIXEL_FORMAT, frameRate };
  const alone =
    pixelFormat !== undefined ? "--pixel-format" : frameRate !== undefined ? "--frame-rate" : undefined;
  if (alone) {
    throw new Failure(
      "INVALID_REQUEST",
      `${alone} describes raw .yuv files: give their size too, with --size WxH.`,
    );
  }
  return undefined;
}
