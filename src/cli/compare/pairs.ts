/** The pairs to compare: from the arguments, from files of ladders, or from a list. */
import { pairKey } from "../../jobs/media/pair-key.ts";
import { MAX_CELLS } from "../../jobs/request-limits.ts";
import { type Failure, invalid } from "../../platform/failure.ts";
import { type Columns, type List, pairRows, readList, type Undone, wrongLine } from "../submit/list-file.ts";
import { absolute } from "../submit/spec.ts";
import { quoteName } from "../terminal/escape.ts";
import { filesMatching, filesOf } from "./files.ts";
import type { LadderFiles } from "./options.ts";
import { type TitlePart, withRenditions } from "./titles.ts";

/** A pair of videos: absolute paths, or names of objects or renditions. An empty ladder or clip is derived. */
export interface Pair {
  /** Line of the list; 1 without a list. */
  readonly line: number;
  readonly reference: string;
  readonly distorted: string;
  readonly ladder: string;
  readonly clip: string;
  /** Set if the distorted video is a rendition of a manifest. */
  readonly part?: TitlePart;
  /** Why the distorted video, a manifest, cannot be read. */
  readonly failure?: Failure;
}

export interface PairSource {
  readonly reference: string | undefined;
  readonly encodes: readonly string[];
  readonly ladders: readonly LadderFiles[];
  readonly from: string | undefined;
  /** Ladder that the others are compared with. */
  readonly anchor: string | undefined;
  /** Where manifests are read: here, on the nodes of a controller, or here except those in storages. */
  readonly titles: "here" | "nodes" | "uploaded";
  /** What a wrong list prevents. */
  readonly undone: Undone;
}

/**
 * Returns the pairs that the command line describes. Throws INVALID_REQUEST, or SCORE_CANCELLED if the signal aborts.
 */
export async function pairsOf(source: PairSource, signal: AbortSignal): Promise<readonly Pair[]> {
  const named =
    source.from === undefined ? await pairsOfArguments(source) : await readPairs(source.from, source, signal);
  const { titles } = source;
  const pairs = titles === "nodes" ? named : await withRenditions(named, titles === "uploaded");
  if (pairs.length > MAX_CELLS)
    throw invalid(`These are ${pairs.length} encodes; at most ${MAX_CELLS} can be compared at once.`);
  const seen = new Set<string>();
  for (const pair of pairs) {
    const key = pairKey(pair);
    if (seen.has(key)) throw invalid(`${quoteName(pair.distorted)} is given twice for the same reference.`);
    seen.add(key);
  }
  checkAnchor(source.anchor, pairs);
  return pairs;
}

/** Ladders without a name get that of the codec, which is not known yet. */
function checkAnchor(anchor: string | undefined, pairs: readonly Pair[]): void {
  const ladders = [...new Set(pairs.map(({ ladder }) => ladder))];
  if (anchor === undefined || ladders.includes("") || ladders.includes(anchor)) return;
  const names = ladders.map(quoteName).join(", ");
  throw invalid(`--anchor: no ladder is named ${quoteName(anchor)}. The ladders: ${names}.`);
}

async function pairsOfArguments({ reference, encodes, ladders }: PairSource): Promise<readonly Pair[]> {
  if (reference === undefined || encodes.length + ladders.length === 0)
    throw invalid("Give a reference and its encodes, or --ladder NAME=FILES, or a list with --from FILE.");
  const of = (distorted: string, ladder: string): Pair => ({
    ...{ line: 1, ladder, clip: "" },
    reference: absolute("reference", reference),
    distorted: absolute("distorted", distorted),
  });
  const ofLadders = ladders.map(async ({ ladder, files }) =>
    (await filesMatching(ladder, files, reference)).map((distorted) => of(distorted, ladder)),
  );
  const ofEncodes = encodes.map(async (name) =>
    (await filesOf(name, reference)).map((distorted) => of(distorted, "")),
  );
  return (await Promise.all([...ofEncodes, ...ofLadders])).flat();
}

const COLUMNS = ["reference", "distorted", "ladder", "clip"] as const;
type Column = (typeof COLUMNS)[number];
const PAIR_COLUMNS: Omit<Columns, "undone"> = {
  isValid: (column) => COLUMNS.some((valid) => valid === column),
  text: COLUMNS.join(", "),
};

async function readPairs(
  name: string,
  { reference, encodes, ladders, undone }: PairSource,
  signal: AbortSignal,
): Promise<readonly Pair[]> {
  if (reference !== undefined || encodes.length + ladders.length > 0)
    throw invalid("Give encodes or --from FILE, not both.");
  const pairs = pairsOfList(name, await readList(name, process.stdin, signal, undone), undone);
  if (pairs.length === 0) throw wrongLine(name, 1, "below it there are no encodes", { undone });
  return pairs;
}

/** Parses the rows of a list. Paths are relative to the folder of the list. */
function pairsOfList(name: string, { text, folder }: List, undone: Undone): readonly Pair[] {
  return [...pairRows(name, text, { ...PAIR_COLUMNS, undone })].map(({ line, heading, cells }) => {
    const cell = (column: Column) => cells[heading.indexOf(column)] ?? "";
    const empty = (["reference", "distorted"] as const).find((column) => cell(column) === "");
    if (empty !== undefined) throw wrongLine(name, line, `${empty} is missing`, { undone });
    return {
      ...{ line, ladder: cell("ladder"), clip: cell("clip") },
      reference: absolute("reference", cell("reference"), folder),
      distorted: absolute("distorted", cell("distorted"), folder),
    };
  });
}
