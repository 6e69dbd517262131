/** How ladders differ in charts and tables: a colour for each codec, and dashes for the ladders of one codec. */
import type { components } from "../gen/rest/controller.ts";

type Comparison = components["schemas"]["Comparison"];

export interface LadderLook {
  /** Number of the colour, from 0. */
  readonly colour: number;
  /** Number of the pattern of dashes, from 0, a solid line. */
  readonly dashes: number;
}

/**
 * Returns the looks by name. If all ladders have the same codec, each has a colour of its own. `colours`: how many there
 * are; once all are used, they repeat with other dashes.
 */
export function ladderLooks(
  { cells = [], ladders = [] }: Pick<Comparison, "cells" | "ladders">,
  colours: number,
): ReadonlyMap<string, LadderLook> {
  const codecs = new Map<string, string>();
  for (const { ladder, media } of cells)
    if (media !== undefined && !codecs.has(ladder)) codecs.set(ladder, media.codec);
  const isOne = new Set(codecs.values()).size === 1;
  const groups = Map.groupBy(
    ladders.map(({ name }) => name),
    (name) => (isOne ? name : (codecs.get(name) ?? name)),
  );
  const looks = new Map<string, LadderLook>();
  const used = new Map<number, number>();
  for (const [group, names] of [...groups.values()].entries())
    for (const name of names) {
      const colour = group % colours;
      const dashes = used.get(colour) ?? 0;
      looks.set(name, { colour, dashes });
      used.set(colour, dashes + 1);
    }
  return looks;
}

/** Lengths of dashes and gaps, in pixels, by number; further patterns repeat. */
const DASHES = ["none", "7 3", "2 3", "9 3 2 3"] as const;

/** The dashes as SVG has them. */
export function dashesOf({ dashes }: LadderLook): string {
  return DASHES[dashes % DASHES.length] ?? "none";
}
