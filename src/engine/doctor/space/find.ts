/** Finds how the distorted picture lies on the reference's if nothing is known of it. */
import { paired } from "./bars.ts";
import type { Plane } from "./plane.ts";
import { judge, type Registration, register } from "./register.ts";
import type { Axes, PlanePair } from "./tile-places.ts";
import { type AxisMap, IDENTITY, TURNS, type Turn, UPRIGHT, type View } from "./view.ts";

/** Match at which no other guess is tried: encodes reach it unless they destroy the picture, wrong maps do not. */
const GOOD = 0.75;
/** Match that no turn exceeds. */
const PERFECT = 0.97;
/** Least part of the reference that must be seen: less is a coincidence more often than a crop. */
const LEAST_OVERLAP = 0.3;
/** The same of a match that is no coincidence: pictures with black around them have few tiles inside of it. */
const LEAST_SURE_OVERLAP = 0.2;
const NO_COINCIDENCE = 0.9;

/** A view with how well it matches. */
export interface FoundView extends Registration {
  readonly turn: Turn;
}

/**
 * Finds the view by which pairs of planes match best: from the guesses, then upright and mirrored, then with the usual
 * crops and bars, until one matches well. The planes are of the same frames, as decoded. `turns`: those to try.
 */
export function findView(
  reference: readonly Plane[],
  distorted: readonly Plane[],
  guesses: readonly View[] = [],
  turns: readonly Turn[] = TURNS,
): FoundView {
  const laid = new Map<Turn, readonly PlanePair[]>();
  const lay = (turn: Turn) => {
    const made = laid.get(turn) ?? paired(reference, distorted, turn);
    laid.set(turn, made);
    return made;
  };
  let best: FoundView = { turn: UPRIGHT, ...judge(lay(UPRIGHT), IDENTITY) };
  const attempt = (turn: Turn, axes: Axes) => {
    if (best.match >= GOOD) return;
    const found = register(lay(turn), axes);
    if (isSeen(found) && found.match > best.match) best = { turn, ...found };
  };
  // Registered even if the guess matches well: a crop of a few samples does too.
  const first = guesses[0] ?? IDENTITY;
  const start = { turn: first.turn, ...register(lay(first.turn), first) };
  if (start.match > best.match && isSeen(start)) best = start;
  // Symmetric pictures match well by more than one turn.
  const others = best.match >= PERFECT ? [] : turns.filter(({ transposed }) => !transposed);
  for (const turn of others) {
    const seen = judge(lay(turn), IDENTITY);
    if (seen.match > best.match) best = { turn, ...register(lay(turn), IDENTITY) };
  }
  for (const guess of guesses.slice(1)) attempt(guess.turn, guess);
  for (const turn of turns) attempt(turn, IDENTITY);
  const { turn } = best;
  for (const axes of usual()) {
    attempt(UPRIGHT, axes);
    if (turn !== UPRIGHT) attempt(turn, axes);
  }
  return best;
}

function isSeen({ match, overlap }: Registration): boolean {
  return overlap >= (match >= NO_COINCIDENCE ? LEAST_SURE_OVERLAP : LEAST_OVERLAP);
}

/** Part of a side that is usually lost: registration reaches from half to twice of it. */
const LOST = 0.1;

/** Zooms into and out of the middle on both axes and on one; then crops at one edge. */
function usual(): Axes[] {
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
