/** The worst moments of a comparison as pictures: selects the frames that a report shows, and renders them. */
import type { components } from "../gen/rest/controller.ts";
import { fileName } from "../jobs/text/file-name.ts";
import { escaped } from "./markup.ts";

type Schemas = components["schemas"];
type Cell = Schemas["ComparisonCell"];

/** Limit of ladders of which a moment is shown. */
const MOST_LADDERS = 4;

/** The same frame of both sides. */
export interface PicturePair {
  readonly cell: Cell;
  readonly frame: number;
  /** Score by the first model. */
  readonly score: number;
  /** The images of both sides as data URLs. */
  readonly reference: string;
  readonly distorted: string;
}

type Shots = readonly Pick<Schemas["ScoredSpan"], "min" | "worstFrame">[];

/** Provides the pictures of jobs. */
export interface PictureSource {
  /** The shots of a job's result; none if they are not known. */
  readonly shots: (jobId: string) => Promise<Shots>;
  /** The frame of each still of a job that is ready. */
  readonly ready: (jobId: string) => Promise<readonly number[]>;
  /** A still as a data URL. */
  readonly still: (jobId: string, frame: number, side: "reference" | "distorted") => Promise<string>;
}

/** Returns the available pictures of a comparison: stills can be missing or in progress. */
export async function picturesOf(
  comparison: Schemas["Comparison"],
  source: PictureSource,
): Promise<readonly PicturePair[]> {
  const pairs = picturedCells(comparison).map(async (cell): Promise<readonly PicturePair[]> => {
    const { jobId } = cell;
    const worst = worstFrameOf(await source.shots(jobId), await source.ready(jobId));
    if (worst === undefined) return [];
    const still = (side: "reference" | "distorted") => source.still(jobId, worst.frame, side);
    return [{ cell, ...worst, reference: await still("reference"), distorted: await still("distorted") }];
  });
  return (await Promise.all(pairs)).flat();
}

/** Returns the encodes whose worst moment is shown: of each of the first ladders, the one with the lowest frame. */
export function picturedCells({
  cells = [],
  ladders = [],
  metrics = [],
}: Schemas["Comparison"]): readonly Cell[] {
  const [metric] = metrics;
  const lowest = (cell: Cell) => cell.pooled[metric?.name ?? ""]?.min ?? Number.POSITIVE_INFINITY;
  return ladders.slice(0, MOST_LADDERS).flatMap(({ name }) => {
    const own = cells.filter(({ ladder, state }) => ladder === name && state === "SUCCEEDED");
    const [worst] = own.toSorted((one, other) => lowest(one) - lowest(other));
    return worst !== undefined && Number.isFinite(lowest(worst)) ? [worst] : [];
  });
}

/**
 * Returns the worst frame of a job by the first model, and its score; undefined if its shots are not known, or if there are
 * not stills of both sides.
 *
 * @param ready the frame of each still that is ready
 */
export function worstFrameOf(
  shots: Shots,
  ready: readonly number[],
): Pick<PicturePair, "frame" | "score"> | undefined {
  const [worst] = shots.toSorted((one, other) => one.min - other.min);
  if (worst === undefined) return undefined;
  const sides = ready.filter((frame) => frame === worst.worstFrame).length;
  return sides === 2 ? { frame: worst.worstFrame, score: worst.min } : undefined;
}

/** Returns the section of a report with these pictures, as many as fit into a number of characters. */
export function picturesSection(pairs: readonly PicturePair[], room: number): string {
  let left = room;
  const figures: string[] = [];
  for (const pair of pairs) {
    const text = momentOf(pair);
    if (text.length > left) continue;
    left -= text.length;
    figures.push(text);
  }
  if (figures.length === 0) return "";
  return `<h2>Worst moments</h2>\n<p>The frame with the lowest score of each ladder.</p>\n${figures.join("")}`;
}

function momentOf({ cell, frame, score, reference, distorted }: PicturePair): string {
  const name = `${fileName(cell.distorted)} (${cell.ladder})`;
  const figure = (source: string, caption: string) =>
    `<figure><img src="${escaped(source)}" alt=""><figcaption>${escaped(caption)}</figcaption></figure>`;
  return (
    `<div class="moment">${figure(reference, `Reference, frame ${frame}`)}` +
    `${figure(distorted, `${name}, frame ${frame}: ${score.toFixed(2)}`)}</div>\n`
  );
}
