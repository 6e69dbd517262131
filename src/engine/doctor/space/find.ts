/**
 * Finds how the distorted picture maps to the reference's if nothing is known about it. Thresholds were tuned on the
 * development half of the corpus of bench/doctor.
 */
import { pairPlanes } from "./bars.ts";
import type { Plane } from "./plane.ts";
import { judge, type Registration, register } from "./register.ts";
import type { Axes, PlanePair } from "./tile-places.ts";
import { type AxisMap, IDENTITY, TURNS, type Turn, UPRIGHT, type View } from "./view.ts";

/** Match from which no other guess is tried. Encodes reach it unless they destroy the picture; wrong maps do not. */
const GOOD = 0.75;
/** Match from which no other turn can match better. */
const PERFECT = 0.97;
/**
 * Least part of the reference that the distorted picture must show. A match on less is more often a coincidence than
 * a crop.
 */
const LEAST_OVERLAP = 0.3;
/** The same for a match of at least NO_COINCIDENCE. Pictures with black around them have few tiles inside it. */
const LEAST_SURE_OVERLAP = 0.2;
/** Match that is not reached by coincidence. */
const NO_COINCIDENCE = 0.9;

/** A view, and how well it matches. */
export interface FoundView extends Registration {
  readonly turn: Turn;
}

/**
 * Finds the view in which pairs of planes match best. Tries the guesses, then upright and mirrored pictures, then the
 * usual crops and bars, until one matches well. `reference` and `distorted` show the same frames, as decoded. `turns`
 * are the turns to try.
 */
export function findView(
  reference: readonly Plane[],
  distorted: readonly Plane[],
  guesses: readonly View[] = [],
  turns: readonly Turn[] = TURNS,
): FoundView {
  const pairsByTurn = new Map<Turn, readonly PlanePair[]>();
  const pairsIn = (turn: Turn) => {
    const pairs = pairsByTurn.get(turn) ?? pairPlanes(reference, distorted, turn);
    pairsByTurn.set(turn, pairs);
    return pairs;
  };
  let best: FoundView = { turn: UPRIGHT, ...judge(pairsIn(UPRIGHT), IDENTITY) };
  const attempt = (turn: Turn, axes: Axes) => {
    if (best.match >= GOOD) return;
    const found = register(pairsIn(turn), axes);
    if (hasOverlap(found) && found.match > best.match) best = { turn, ...found };
  };
  // Registered even if the identity already matches well: a crop by a few samples also matches well at the identity.
  const first = guesses[0] ?? IDENTITY;
  const start = { turn: first.turn, ...register(pairsIn(first.turn), first) };
  if (start.match > best.match && hasOverlap(start)) best = start;
  // Symmetric pictures match well in more than one turn.
  const others = best.match >= PERFECT ? [] : turns.filter(({ transposed }) => !transposed);
  for (const turn of others) {
    const judged = judge(pairsIn(turn), IDENTITY);
    if (judged.match > best.match) best = { turn, ...register(pairsIn(turn), IDENTITY) };
  }
  for (const guess of guesses.slice(1)) attempt(guess.turn, guess);
  for (const turn of turns) attempt(turn, IDENTITY);
  const { turn } = best;
  for (const axes of usualMaps()) {
    attempt(UPRIGHT, axes);
    if (turn !== UPRIGHT) attempt(turn, axes);
  }
  return best;
}

function hasOverlap({ match, overlap }: Registration): boolean {
  return overlap >= (match >= NO_COINCIDENCE ? LEAST_SURE_OVERLAP : LEAST_OVERLAP);
}

/**
 * Width of the usual crop or bar at an edge, as a part of the frame. Registration from this guess finds widths from
 * half to twice of it.
 */
const LOST = 0.1;

/** The usual maps: zooms into and out of the middle, on both axes and on one; then crops and bars at one edge. */
function usualMaps(): Axes[] {
  const whole: AxisMap = { scale: 1, shift: 0 };
  const middle: AxisMap[] = [
    { scale: 1 / (1 - 2 * LOST), shift: -LOST / (1 - 2 * LOST) },
    { scale: 1 - 2 * LOST, shift: LOST },
  ];
  const edges: AxisMap[] = [0, 1].flatMap((side) => [
    { scale: 1 / (1 - LOST), shift: (-side * LOST) / (1 - LOST) },
    { scale: 1 - LOST, shift: side * LOST },
  ]);
  return [
    ...middle.flatMap((axis) => [
      { x: axis, y: axis },
      { x: axis, y: whole },
      { x: whole, y: axis },
    ]),
    ...edges.flatMap((axis) => [
      { x: axis, y: whole },
      { x: whole, y: axis },
    ]),
  ];
}
