/** Pairs of random ladders with encodes of several picture sizes, by seed. Their rates overlap. */
import type { Encode } from "../../../../src/rates/points.ts";
import { random as seeded } from "../../random.ts";
import { digits, drawn, type Random } from "../random/shapes.ts";

const PAIRS = 300;
const SIZES = [
  { width: 640, height: 360 },
  { width: 960, height: 540 },
  { width: 1280, height: 720 },
  { width: 1920, height: 1080 },
] as const;
/** Rates of neighbouring encodes of one size. */
const RATIO = 1.9;

export interface SizedPair {
  readonly anchor: readonly Encode[];
  readonly test: readonly Encode[];
}

export function sizedPairs(): readonly SizedPair[] {
  const random = seeded(540);
  return Array.from({ length: PAIRS }, () => {
    const saving = 0.7 + random() * 0.6;
    return { anchor: ladder("anchor", random, 1), test: ladder("test", random, saving) };
  });
}

/** Small pictures start higher and saturate earlier. `cost`: factor of the bits for the same score. */
function ladder(name: string, random: Random, cost: number): readonly Encode[] {
  const sizes = SIZES.slice(drawn(random, 0, 2));
  const count = drawn(random, 3, 6);
  return sizes.flatMap((size, at) => {
    const top = 97 - 11 * (sizes.length - 1 - at) - 4 * random();
    const needed = 400 * 2.1 ** at * (0.8 + 0.4 * random());
    const first = 150 * 1.7 ** at * (0.7 + 0.6 * random());
    return Array.from({ length: count }, (_, step) => {
      const rate = first * RATIO ** step * (0.9 + 0.2 * random());
      const score = top * (1 - Math.exp(-((rate / needed / cost) ** 0.7))) + random();
      return { ladder: name, clip: "", size, rate: digits(rate), scores: [digits(score)] };
    });
  });
}
