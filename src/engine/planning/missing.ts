/** Determines which frames the shorter of two tracks lacks, as far as the timestamps show. Pure. */

import type { Side } from "../contract/request.ts";
import { toNumber } from "../media/rational.ts";
import { framesText, NAMES, type Track } from "../media/track.ts";
import type { Pairing } from "./pairing.ts";

export interface Missing {
  /** The side that has fewer frames. */
  readonly side: Side;
  /** Where frames are missing; undefined: not known. Timestamps never prove that only the end is missing. */
  readonly where: "start" | "middle" | undefined;
  /** A sentence about the missing frames. */
  readonly says: string;
}

const UNKNOWN = "The timestamps do not show which frames are missing.";
const MAYBE_LAST =
  "Both start at the same time and have no gap: the last frames are missing, unless one was cut elsewhere and its timestamps were rewritten.";

/** Number of frames by which a muxer may shift all times of a video with B-frames. */
const REORDER_DELAY = 4;
/**
 * A video with gaps at more than this fraction of its frames has a variable frame rate: its gaps are not missing
 * frames.
 */
const MAX_GAPS = 0.1;

/** `counts`: the numbers of frames to pair; one side has fewer. */
export function missingFrames(tracks: Readonly<Record<Side, Track>>, counts: Pairing["counts"]): Missing {
  const { reference, distorted } = tracks;
  const [short, long] = counts.reference < counts.distorted ? [reference, distorted] : [distorted, reference];
  const missing = Math.abs(counts.reference - counts.distorted);
  const [line, whole] = [timeline(short), timeline(long)];
  const byTime = line && whole ? elsewhereByTime([short, line], [long, whole], missing) : undefined;
  const { side } = short;
  if (byTime !== undefined) return { side, ...byTime };
  if (short.hidden > 0) {
    const says = `The edit list of the ${NAMES[short.side]} hides ${framesText(short.hidden)}, as after a cut at the start: it probably lacks the first frames of the other video.`;
    return { side, where: "start", says };
  }
  const isTogether =
    line && whole && line.lost === 0 && whole.lost === 0 && startTogether([short, line], [long, whole]);
  return { side, where: undefined, says: isTogether ? MAYBE_LAST : UNKNOWN };
}

export type Timed = readonly [track: Track, line: Timeline];

/** Describes the frames that are missing at the start or in the middle, as far as the timestamps show. */
function elsewhereByTime(
  [short, line]: Timed,
  [long, whole]: Timed,
  missing: number,
): Omit<Missing, "side"> | undefined {
  const name = NAMES[short.side];
  if (whole.lost > 0 || line.lost > missing) return undefined;
  if (line.lost > 0)
    return {
      where: "middle",
      says: `According to its timestamps, the ${name} lacks ${framesText(line.lost)} in the middle, the first after its frame ${line.gaps[0]?.after}.`,
    };
  const late = line.start - whole.start;
  const early = whole.end - line.end;
  const delay = REORDER_DELAY * line.frame;
  const fits = Math.abs((late + early) / line.frame - missing) < 1.5;
  if (!haveOneClock(short, long) || !fits || late <= delay || Math.abs(early) > delay) return undefined;
  return {
    where: "start",
    says: `According to its timestamps, the ${name} lacks the first frames: it starts ${late.toFixed(2)} s after the ${NAMES[long.side]} and ends ${endText(early, line.frame)}.`,
  };
}

function endText(early: number, frame: number): string {
  if (Math.abs(early) < frame / 2) return "with it";
  return `${Math.abs(early).toFixed(2)} s ${early > 0 ? "before" : "after"} it`;
}

/** Whether two tracks start at the same time of one clock. */
export function startTogether([one, line]: Timed, [other, otherLine]: Timed): boolean {
  return haveOneClock(one, other) && Math.abs(line.start - otherLine.start) < line.frame / 2;
}

/**
 * MPEG-TS and PS can start at any time, by default over a second late, so comparing their times with those of
 * other containers shows nothing.
 */
function haveOneClock(one: Track, other: Track): boolean {
  return isMpegSystems(one) === isMpegSystems(other);
}

function isMpegSystems({ container }: Track): boolean {
  return container === "mpegts" || container === "mpeg";
}

export interface Timeline {
  /** Times of the first and the last frame in seconds. */
  readonly start: number;
  readonly end: number;
  /** Duration of a frame in seconds, gaps excluded. */
  readonly frame: number;
  /** Number of frames that fit into all gaps. */
  readonly lost: number;
  readonly gaps: readonly Gap[];
}

export interface Gap {
  /** Number of the frame before the gap. */
  readonly after: number;
  /** Number of frames that fit into it. */
  readonly lost: number;
}

/** Returns undefined if a track has no times of its own, or uneven ones throughout. */
export function timeline({ times, frames, rate }: Track): Timeline | undefined {
  if (!times || !rate || times.pts.length !== frames || frames < 3) return undefined;
  const { pts } = times;
  const steps = pts.subarray(1).map((time, index) => time - (pts[index] ?? 0));
  const typical = steps.toSorted()[steps.length >> 1] ?? 0;
  const usual = steps.filter((step) => step < 1.5 * typical);
  const frame = usual.reduce((sum, step) => sum + step, 0) / usual.length;
  const gaps = [...steps].flatMap((step, after): Gap[] => {
    const lost = Math.round(step / frame) - 1;
    return lost > 0 ? [{ after, lost }] : [];
  });
  if (gaps.length > MAX_GAPS * frames) return undefined;
  const seconds = toNumber(times.timeBase);
  return {
    start: (pts[0] ?? 0) * seconds,
    end: (pts.at(-1) ?? 0) * seconds,
    frame: frame * seconds,
    lost: gaps.reduce((sum, { lost }) => sum + lost, 0),
    gaps,
  };
}
