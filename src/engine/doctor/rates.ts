/** Relates the frame rates of the two videos, by their tags and by their pictures. */
import type { Finding } from "../contract/finding.ts";
import type { Side } from "../contract/request.ts";
import { toNumber } from "../media/rational.ts";
import type { Track } from "../media/track.ts";
import { pairsIn } from "../planning/pairing.ts";
import { differentRates } from "../planning/rates.ts";
import type { BothPictures } from "./samples/content.ts";
import { alignTime } from "./time/align.ts";
import { distortedFeatures, referenceFeatures } from "./time/features.ts";
import { bestRate, isSameRatio, likenessOn, rateCandidates } from "./time/rate.ts";

type Tracks = Readonly<Record<Side, Track>>;

/** Frame rate of a video that states none, in frames per second: an assumption. */
const ASSUMED_RATE = 25;
/** Least correlation of frames that certainly show the same. Empirical. */
const RELATED = 0.5;
/** Least part of the frames that must be paired for lost or added frames to explain different frame counts. Empirical. */
const WHOLE = 0.8;
/** Most runs between such frames. A conversion of the rate loses or adds frames all the time. */
const MOST_RUNS = 5;

/**
 * Frames of the distorted video for each frame of the reference. The pictures decide if tags or frame counts leave a
 * choice.
 */
export function rateRatio({ reference, distorted }: BothPictures, tracks: Tracks): number {
  const [referenceRate, distortedRate] = [rateOf(tracks.reference), rateOf(tracks.distorted)];
  const candidates = rateCandidates(
    { rate: referenceRate, count: tracks.reference.frames },
    { rate: distortedRate, count: tracks.distorted.frames },
  );
  if (candidates.length < 2) return 1;
  const features = [referenceFeatures(reference), distortedFeatures(distorted)] as const;
  const best = bestRate(...features, candidates);
  const isStated = [1, distortedRate / referenceRate].some((ratio) => isSameRatio(best.ratio, ratio));
  if (isStated) return best.ratio;
  // Frames that are missing or added in a few places change the counts, too.
  const { runs } = alignTime(reference, distorted);
  const isWhole = pairsIn(runs) >= WHOLE * Math.min(reference.count, distorted.count);
  const isLost = runs.length > 1 && runs.length <= MOST_RUNS && isWhole;
  return isLost && likenessOn(runs, ...features).apart <= best.apart ? 1 : best.ratio;
}

/** Frames per second. */
export function rateOf({ rate }: Track): number {
  return rate === undefined ? ASSUMED_RATE : toNumber(rate);
}

/**
 * Finds different frame rates, by the pictures or by the tags alone. `match` is the correlation of the aligned
 * pictures.
 */
export function rateFindings(ratio: number, match: number, { reference, distorted }: Tracks): Finding[] {
  const isTagged = differentRates(reference, distorted) !== undefined;
  if (ratio === 1 && !isTagged) return [];
  const shown = `the files say ${rateOf(reference).toFixed(3)} and ${rateOf(distorted).toFixed(3)} frames a second`;
  const every = Math.max(ratio, 1 / ratio).toFixed(3);
  const seen =
    ratio === 1
      ? `Frames match one to one, but ${shown}: the same frames at another speed`
      : `The ${ratio > 1 ? "distorted video" : "reference"} has ${every} frames for each frame of the other; ${shown}`;
  const confidence = match > RELATED ? "certain" : "possible";
  const evidence = `${seen} (correlation ${match.toFixed(2)}).`;
  return [{ code: "RATE_DIFFERS", size: ratio, confidence, evidence }];
}
