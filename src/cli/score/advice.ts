/** Advice on failures of scores that are computed on this machine. */
import type { Advice } from "../exit.ts";

export const SCORE_ADVICE: Advice = {
  MEDIA_UNSUPPORTED: "If it is an HLS or DASH manifest, svc compare scores its renditions.",
  SCORE_TIMEOUT: "Raise the limit with --timeout SECONDS, or leave the option out.",
  SCORER_NOT_FOUND: "Give a scorer with --vmaf-binary PATH: Netflix's vmaf, or an ffmpeg built with libvmaf.",
  UNKNOWN_MODEL:
    "Version 1 models need the current scorer: svc scorer install. Put your own models as NAME.json files into a folder, and give it with --model-dir.",
};
