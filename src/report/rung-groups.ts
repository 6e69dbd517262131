/** Groups notes on rungs of one kind, so that long ladders and many clips stay readable. */
import type { RungFaultKind } from "../rates/rungs.ts";
import type { RungNote } from "./rungs.ts";

type Brief = Pick<RungNote, "ladder" | "clip" | "text">;

/** What several faults of a kind are called. */
const NAMES: Readonly<Record<RungFaultKind, readonly [one: string, several: string]>> = {
  DOMINATED: ["wasted rung", "wasted rungs"],
  CLOSE: ["rung that gains too little", "rungs that gain too little"],
  BELOW_HULL: ["rung below a mix of its neighbours", "rungs below a mix of their neighbours"],
  GAP: ["gap", "gaps"],
};

/**
 * Returns the notes as they are if there are up to `most`. Otherwise returns one for each ladder and kind: the worst
 * one, and how many others there are in how many clips.
 */
export function briefNotes(notes: readonly RungNote[], most: number): readonly Brief[] {
  if (notes.length <= most) return notes;
  const groups = Map.groupBy(notes, ({ ladder, fault }) => JSON.stringify([ladder, fault.kind]));
  return [...groups.values()].flatMap((own) => {
    const worst = own.reduce((one, other) => (badness(other) > badness(one) ? other : one));
    const others = own.filter((note) => note !== worst);
    if (others.length === 0) return [worst];
    const { ladder, clip, text, fault } = worst;
    return [{ ladder, clip, text: `${text}; ${othersText(others, fault.kind)}` }];
  });
}

/** A small gain is worse than a larger one; otherwise more points are worse. */
function badness({ fault: { kind, points } }: RungNote): number {
  return kind === "CLOSE" ? -points : points;
}

function othersText(others: readonly RungNote[], kind: RungFaultKind): string {
  const [one, several] = NAMES[kind];
  const clips = new Set(others.map(({ clip }) => clip)).size;
  const where = clips > 1 ? ` in ${clips} clips` : "";
  return `${others.length} more ${others.length === 1 ? one : several}${where}`;
}
