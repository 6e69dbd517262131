/** The cells of a comparison as a table of encodes: which ladder and clip each belongs to, and which are points. */
import { isComponent } from "../jobs/feature-names.ts";
import { type Encoded, type Grouping, groupName, lacksEncoder } from "../jobs/media/grouping.ts";
import { fileName } from "../jobs/text/file-name.ts";
import { type Comparison, compareLadders } from "./comparison.ts";
import type { Encode } from "./points.ts";
import { qualityOf } from "./quality.ts";

export interface Cell {
  readonly reference: string;
  /** As requested; if empty, it is derived. */
  readonly ladder: string;
  readonly clip: string;
  /** What the probe found in the encode; undefined: not known yet. */
  readonly encoded: Encoded | undefined;
  /** Bits per second of the video track; undefined: not known. */
  readonly rate: number | undefined;
  /** Pooled mean by metric; undefined: not scored. */
  readonly means: Readonly<Record<string, number>> | undefined;
}

/** The ladder and clip of a cell; a derived ladder is empty until the encode is known. */
export interface Place {
  readonly ladder: string;
  readonly clip: string;
}

export interface Ladder {
  readonly name: string;
  readonly cells: number;
  /** Cells with a score; only these are points. */
  readonly scored: number;
  /** Cells whose codec stands for the encoder in the name. */
  readonly withoutEncoder: number;
}

export interface ComparedCells {
  /** In the order of the cells. */
  readonly places: readonly Place[];
  /** In the order of their first cells. */
  readonly ladders: readonly Ladder[];
  /** The other ladders against the anchor, by every metric but the models' own features. */
  readonly comparison: Comparison;
  /** The metrics by which each cell is not on the hull that is the curve of its ladder, in the order of the cells. */
  readonly offHull: readonly (readonly string[])[];
}

/**
 * Compares the ladders of cells, as far as they are scored, with the ladder `asked`, or, if that is empty,
 * with that of the first cell whose ladder is known. Until there is such a ladder, the anchor of the
 * comparison is empty and nothing is compared. `groupBy`: what derived ladders are named after; none: the codec.
 */
export function compareCells(
  cells: readonly Cell[],
  asked: string,
  groupBy: readonly Grouping[] = [],
): ComparedCells {
  const places = placesOf(cells, groupBy);
  const anchor = asked || (places.find(({ ladder }) => ladder !== "")?.ladder ?? "");
  const names = metricsOf(cells);
  const encodes = cells.map((cell, index) => encodeOf(cell, places[index], names));
  const comparison =
    anchor === ""
      ? { anchor, metrics: names.map(qualityOf), results: [], averages: [], hulls: [] }
      : compareLadders(
          encodes.flatMap((encode) => encode ?? []),
          names.map(qualityOf),
          anchor,
        );
  const ladders = laddersOf(cells, places, groupBy);
  return { places, ladders, comparison, offHull: offHullOf(encodes, comparison) };
}

function offHullOf(
  encodes: readonly (Encode | undefined)[],
  { hulls }: Comparison,
): readonly (readonly string[])[] {
  const off = hulls.flatMap((hull) => hull.off.map((encode) => ({ encode, metric: hull.metric.name })));
  const byEncode = Map.groupBy(off, ({ encode }) => encode);
  return encodes.map((encode) => (encode && byEncode.get(encode)?.map(({ metric }) => metric)) ?? []);
}

/**
 * An empty clip is named after the file of its reference, or after its whole path if other references have
 * the same file name.
 */
function placesOf(cells: readonly Cell[], groupBy: readonly Grouping[]): readonly Place[] {
  const references = [...new Set(cells.flatMap(({ clip, reference }) => (clip === "" ? reference : [])))];
  const byFile = Map.groupBy(references, fileName);
  return cells.map(({ reference, ladder, clip, encoded }) => {
    const file = fileName(reference);
    const own = (byFile.get(file)?.length ?? 0) > 1 ? reference : file;
    return { ladder: ladder || (encoded ? groupName(encoded, groupBy) : ""), clip: clip || own };
  });
}

function metricsOf(cells: readonly Cell[]): readonly string[] {
  const names = new Set(cells.flatMap(({ means = {} }) => Object.keys(means)));
  return [...names].filter((name) => !isComponent(name));
}

function encodeOf(
  { rate, encoded, means }: Cell,
  place: Place | undefined,
  metrics: readonly string[],
): Encode | undefined {
  if (means === undefined || place === undefined || place.ladder === "") return undefined;
  return {
    ...place,
    rate: rate ?? Number.NaN,
    size: encoded,
    scores: metrics.map((metric) => means[metric] ?? Number.NaN),
  };
}

function laddersOf(
  cells: readonly Cell[],
  places: readonly Place[],
  groupBy: readonly Grouping[],
): readonly Ladder[] {
  const lacks = (cell: Cell | undefined) =>
    cell?.ladder === "" && cell.encoded !== undefined && lacksEncoder(cell.encoded, groupBy);
  const groups = Map.groupBy(cells.keys(), (index) => places[index]?.ladder ?? "");
  return [...groups]
    .filter(([name]) => name !== "")
    .map(([name, own]) => ({
      name,
      cells: own.length,
      scored: own.filter((index) => cells[index]?.means !== undefined).length,
      withoutEncoder: own.filter((index) => lacks(cells[index])).length,
    }));
}
