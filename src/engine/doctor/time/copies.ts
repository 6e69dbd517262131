/** Places repeated frames after the frames that they repeat. */
import type { Run } from "../../contract/alignment.ts";
import { valueAt } from "./band.ts";
import type { Costs } from "./distances.ts";
import { offsetOf } from "./segments.ts";

/** Fewest added frames that can be a repetition. Fewer are held pictures. */
const FEWEST = 5;
/**
 * Cost of a pair of frames up to which they show the same, as a natural logarithm of squared distances above the best
 * match. Empirical.
 */
const SAME = 1;

/**
 * Moves changes of the offset behind the first copy of repeated frames. If a video shows frames twice, the reference
 * fits both copies, and an encode may have kept the second one better. The first one is the frame in its place.
 */
export function withFirstCopies(runs: readonly Run[], costs: Costs): Run[] {
  const moved = [...runs];
  for (let index = 1; index < moved.length; index++) {
    const [before, after] = [moved[index - 1] as Run, moved[index] as Run];
    const count = firstCopyOf(before, after, costs);
    moved[index - 1] = { ...before, count: before.count + count };
    moved[index] = {
      reference: after.reference + count,
      distorted: after.distorted + count,
      count: after.count - count,
    };
  }
  return moved;
}

/** Number of frames at the start of a run that also match at the offset of the run before. */
function firstCopyOf(before: Run, after: Run, { both }: Costs): number {
  const added = offsetOf(after) - offsetOf(before);
  const isAddition = after.reference === before.reference + before.count && added >= FEWEST;
  if (!isAddition) return 0;
  let [sum, least, count] = [0, 0, 0];
  for (let index = 0; index < Math.min(added, after.count - 1); index++) {
    const cost = valueAt(both, after.reference + index, offsetOf(before));
    if (Number.isNaN(cost)) break;
    sum += cost - SAME;
    if (sum < least) [least, count] = [sum, index + 1];
  }
  return count;
}
