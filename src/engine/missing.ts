/** Which frames the shorter of two tracks lacks, as far as the time stamps of both show it. Pure. */
import type { Pairing } from "./compare.ts";
import { toNumber } from "./rational.ts";
import type { Side } from "./request.ts";
import { framesText, NAMES, type Track } from "./track.ts";

export interface Missing {
  /** Whether frames are missing at the start or in the middle. That they are missing at the end is never certain. */
  readonly isElsewhere: boolean;
  /** What is known of them, as a sentence. */
  readonly says: string;
}

const UNKNOWN: Missing = {
  isElsewhere: false,
  says: "Their time stamps do not show which frames are missing.",
};
const MAYBE_LAST: Missing = {
  isElsewhere: false,
  says: "Both start at the same time and have no gap: the last frames are missing, unless one was cut elsewhere and its time stamps written anew.",
};

/** Frames by which a muxer may shift all times of a video with B-frames. */
const REORDER_DELAY = 4;
/** With more gaps than this part of its frames a video has a variable rate: a gap is no missing frame there. */
const MOST_GAPS = 0.1;

/** `counts`: frames that are to be paired, of which one side has fewer. */
export function missingFrames(tracks: Readonly<Record<Side, Track>>, counts: Pairing["counts"]): Missing {
  const { reference, distorted } = tracks;
  const [short, long] = counts.reference < counts.distorted ? [reference, distorted] : [distorted, reference];
  const missing = Math.abs(counts.reference - counts.distorted);
  const [line, whole] = [timeline(short), timeline(long)];
  const byTime = line && whole ? elsewhereByTime([short, line], [long, whole], missing) : undefined;
  if (byTime !== undefined) return { isElsewhere: true, says: byTime };
  if (short.hidden > 0) {
    const says = `The edit list of the ${NAMES[short.side]} hides ${framesText(short.hidden)}, as after a cut at its start: it probably lacks the first frames of the other.`;
    return { isElsewhere: true, says };
  }
  const isTogether =
    line &&
    whole &&
    line.lost === 0 &&
    whole.lost === 0 &&
    haveOneClock(short, long) &&
    startTogether(line, whole);
  return isTogether ? MAYBE_LAST : UNKNOWN;
}

type Timed = readonly [track: Track, line: Timeline];

/** What the time stamps show of frames that are missing at the start or in the middle. */
function elsewhereByTime([short, line]: Timed, [long, whole]: Timed, missing: number): string | undefined {
  const name = NAMES[short.side];
  if (whole.lost > 0 || line.lost > missing) return undefined;
  if (line.lost > 0)
    return `By its time stamps the ${name} lacks ${framesText(line.lost)} in its middle, the first after its frame ${line.firstGap}.`;
  const late = line.start - whole.start;
  const early = whole.end - line.end;
  const delay = REORDER_DELAY * line.frame;
  const fits = Math.abs((late + early) / line.frame - missing) < 1.5;
  if (!haveOneClock(short, long) || !fits || late <= delay || Math.abs(early) > delay) return undefined;
  return `By its time stamps the ${name} lacks its first frames: it starts ${late.toFixed(2)} s after the ${NAMES[long.side]} and ends ${endText(early, line.frame)}.`;
}

function endText(early: number, frame: number): string {
  if (Math.abs(early) < frame / 2) return "with it";
  return `${Math.abs(early).toFixed(2)} s ${early > 0 ? "before" : "after"} it`;
}

function startTogether(one: Timeline, other: Timeline): boolean {
  return Math.abs(one.start - other.start) < one.frame / 2;
}

/** Time in MPEG-TS and PS starts anywhere, by default over a second late: beside another container it shows nothing. */
function haveOneClock(one: Track, other: Track): boolean {
  return isMpegSystems(one) === isMpegSystems(other);
}

function isMpegSystems({ container }: Track): boolean {
  return container === "mpegts" || container === "mpeg";
}

interface Timeline {
  /** Times of the first and the last frame in seconds. */
  readonly start: number;
  readonly end: number;
  /** Seconds that a frame lasts, gaps apart. */
  readonly frame: number;
  /** Frames that fit into the gaps. */
  readonly lost: number;
  /** Number of the frame before the first gap. */
  readonly firstGap: number;
}

/** undefined where a track has no times of its own, or ones that are uneven throughout. */
function timeline({ times, frames, rate }: Track): Timeline | undefined {
  if (!times || !rate || times.pts.length !== frames || frames < 3) return undefined;
  const { pts } = times;
  const steps = pts.subarray(1).map((time, index) => time - (pts[index] ?? 0));
  const typical = steps.toSorted()[steps.length >> 1] ?? 0;
  const usual = steps.filter((step) => step < 1.5 * typical);
  const frame = usual.reduce((sum, step) => sum + step, 0) / usual.length;
  const isGap = (step: number): boolean => Math.round(step / frame) > 1;
  const gaps = steps.filter(isGap);
  if (gaps.length > MOST_GAPS * frames) return undefined;
  const seconds = toNumber(times.timeBase);
  return {
    start: (pts[0] ?? 0) * seconds,
    end: (pts.at(-1) ?? 0) * seconds,
    frame: frame * seconds,
    lost: gaps.reduce((sum, step) => sum + Math.round(step / frame) - 1, 0),
    firstGap: steps.findIndex(isGap),
  };
}
