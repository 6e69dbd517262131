/** Describes what is true of a pair of the corpus. */

/** Frames `reference + n` and `distorted + n` show the same, for n from 0 to count − 1. */
export interface Run {
  readonly reference: number;
  readonly distorted: number;
  readonly count: number;
}

/** An area in samples of a side's frames. */
export interface Area {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export type Side = "reference" | "distorted";

/** What repairs the pair, as far as it can be repaired. */
export interface Repair {
  /** The area of a side that the other side shows whole. */
  readonly crop?: Readonly<Partial<Record<Side, Area>>>;
  readonly mirror?: Readonly<Partial<Record<Side, "HORIZONTAL" | "VERTICAL">>>;
  /** The actual properties of a side's samples, which its tags contradict. */
  readonly rangeOf?: Readonly<Partial<Record<Side, "LIMITED" | "FULL">>>;
  readonly matrixOf?: Readonly<Partial<Record<Side, "BT601" | "BT709">>>;
}

/** Findings about time, which a still or repeating scene can hide. */
export const TIME_CODES: readonly string[] = [
  ...["OFFSET", "TRIMMED", "FRAMES_DROPPED", "FRAMES_DUPLICATED", "TIMESTAMP_GAP", "FROZEN", "REPEATED"],
  ...["RATE_DIFFERS", "INTERLACED", "FIELD_ORDER_DIFFERS"],
];

export interface Truth {
  /** Each group names findings of which at least one is expected. */
  readonly expected: readonly (readonly string[])[];
  /** Findings that are also true, but need not be made. */
  readonly allowed: readonly string[];
  /** Frames of each side. */
  readonly frames: Readonly<Record<Side, number>>;
  /** The frames that show the same; undefined: the sides have none in common, or frames are blended. */
  readonly runs: readonly Run[] | undefined;
  /** Where a freeze, a gap or repeated content is. A gap is given in frames of the reference. */
  readonly span: { readonly side: Side; readonly first: number; readonly count: number } | undefined;
  readonly repair: Repair;
  /** The part of the scene that bars leave; undefined: no bars cover it. Bars over black change nothing. */
  readonly uncovered?: Area;
  /** The fault may not be visible in these pictures. Such cases are counted separately. */
  readonly ambiguous: boolean;
  /** The drawn values, for reports. */
  readonly parameters: Readonly<Record<string, number | string>>;
}

/** Returns `frames` numbers from `first` on. */
export function consecutive(first: number, frames: number): number[] {
  return Array.from({ length: Math.max(0, frames) }, (_, index) => first + index);
}

/**
 * Returns the runs of two sides that show these frames of a scene. A repeated frame belongs to its first occurrence.
 */
export function runsOf(reference: readonly number[], distorted: readonly number[]): Run[] {
  const runs: { reference: number; distorted: number; count: number }[] = [];
  let next = 0;
  for (const [position, frame] of distorted.entries()) {
    const match = reference.indexOf(frame, next);
    if (match === -1) continue;
    next = match + 1;
    const last = runs.at(-1);
    const continues =
      last?.reference === match - (last?.count ?? 0) && last.distorted === position - last.count;
    if (last !== undefined && continues) last.count++;
    else runs.push({ reference: match, distorted: position, count: 1 });
  }
  return runs;
}

/** Returns the frames without those at these places. */
export function without(frames: readonly number[], places: readonly number[]): number[] {
  return frames.filter((_, index) => !places.includes(index));
}

/** Returns the frames; those at these places occur `times` times. */
export function repeating(frames: readonly number[], places: readonly number[], times = 2): number[] {
  return frames.flatMap((frame, index) => Array<number>(places.includes(index) ? times : 1).fill(frame));
}
