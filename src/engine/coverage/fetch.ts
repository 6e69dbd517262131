/** Fetches the bytes from which a segment is decoded, or the whole video if these are not enough. */
import { Failure } from "../../platform/failure.ts";
import { SIDES, type Side } from "../contract/request.ts";
import { SegmentMismatch } from "../contract/segment-mismatch.ts";
import { fetchWhole, type Opening, quote, type Source, type Sources, withSources } from "../files/source.ts";
import { bothSides } from "../media/all-or-abort.ts";
import type { ProbeContext } from "../media/probe-context.ts";
import { isProven } from "./proof.ts";
import type { Coverage, Coverages } from "./ranges.ts";

/** The parts of both videos that some work needs. */
export interface Needed {
  readonly opening: Opening;
  /** The needed parts. Both videos are fetched whole if one of these is not known. */
  readonly parts: readonly Coverages[];
}

/**
 * Opens both videos for work that needs some parts of them. If the work fails, it runs again with whole videos, because
 * it may have read bytes that were not fetched.
 */
export function withParts<T>(
  request: Readonly<Record<Side, string>>,
  { opening, parts }: Needed,
  context: ProbeContext,
  work: (sources: Sources) => Promise<T>,
): Promise<T> {
  return withSources(request, { ...opening, fetchesItself: true }, (sources) =>
    withCovered(sources, parts, context, () => work(sources)),
  );
}

async function withCovered<T>(
  sources: Sources,
  parts: readonly Coverages[],
  context: ProbeContext,
  work: () => Promise<T>,
): Promise<T> {
  const { signal } = context;
  const isPartial = await bothSides(signal, (side, either) =>
    fetchCovered(
      sources[side],
      parts.map((part) => part[side]),
      { ...context, signal: either },
    ),
  );
  const partial = SIDES.filter((side) => isPartial[side]);
  if (partial.length === 0) return work();
  try {
    return await work();
  } catch {
    signal.throwIfAborted();
    for (const side of partial) await fetchWhole(sources[side]);
    return work();
  }
}

/** Fetches the parts. Returns whether a video is only partly on disk. */
async function fetchCovered(
  source: Source,
  coverages: readonly (Coverage | undefined)[],
  context: ProbeContext,
): Promise<boolean> {
  if (source.fetch === undefined) return false;
  const known = coverages.filter((coverage) => coverage !== undefined);
  if (known.length === coverages.length) {
    const ranges = known.flatMap((coverage) => coverage.ranges);
    await source.fetch(ranges);
    const byPlace = known.some(({ proof }) => proof.byPlace);
    if (byPlace && (await source.holds?.(ranges)) === false) await source.fetch(ranges);
    if (await areProven(source, known, context)) return true;
  }
  await fetchWhole(source);
  // The index of a file can be wrong: the packets had not been read when the pair was planned.
  const ranges = [{ first: 0, last: source.size - 1 }];
  const byPlace = known.filter(({ proof }) => proof.byPlace).map(({ proof }) => ({ proof, ranges }));
  if (!(await areProven(source, byPlace, context))) throw otherPackets(source);
  return false;
}

function otherPackets({ side, asked }: Source): SegmentMismatch {
  const message = `The ${side} file ${quote(asked)} does not have the packets that its index lists.`;
  return SegmentMismatch.of(new Failure("MEDIA_CORRUPT", message));
}

async function areProven(
  source: Source,
  coverages: readonly Coverage[],
  { ffmpeg, ...context }: ProbeContext,
): Promise<boolean> {
  if (ffmpeg === undefined) return false;
  for (const coverage of coverages)
    if (!(await isProven(source, coverage, { ...context, ffmpeg }))) return false;
  return true;
}
