/**
 * Measures whether the pictures of a pair that is unclear in time can show how its frames belong together, by scoring
 * other alignments.
 */
import type { Run } from "../../src/engine/contract/alignment.ts";
import { pairRequest } from "../../src/engine/contract/request.ts";
import { runAt } from "../../src/engine/doctor/time/offsets.ts";
import { offsetOf } from "../../src/engine/doctor/time/segments.ts";
import type { Engine } from "../../src/engine/engine.ts";
import type { Pair } from "./corpus/store.ts";
import { TIME_CODES } from "./corpus/truth.ts";
import type { Judged } from "./table.ts";

/** Largest difference, in points of VMAF, of two alignments that score alike. */
const ALIKE = 0.5;

export interface Rivals {
  readonly pair: Pair;
  /** VMAF of the true alignment. */
  readonly score: number;
  /** VMAF of the best other alignment: a frame earlier or later, or without the changes of the offset. */
  readonly rival: number;
}

/** Whether the pair has a fault in time that was declared unclear, and some of its frames belong together. */
export function isOpenInTime({ pair: { truth }, verdict }: Judged): boolean {
  const isTimed = truth.expected.flat().some((code) => TIME_CODES.includes(code));
  return isTimed && !truth.ambiguous && verdict.outcome === "unclear" && (truth.runs ?? []).length > 0;
}

export async function rivalsOf(engine: Engine, pair: Pair): Promise<Rivals> {
  const { runs = [], frames } = pair.truth;
  const offsets = new Set(runs.map(offsetOf));
  const constant = [...offsets].map((offset) => [runAt(offset, frames.reference, frames.distorted)]);
  const moved = [-1, 1].map((by) =>
    within(
      runs.map((run) => ({ ...run, distorted: run.distorted + by })),
      frames,
    ),
  );
  const others = offsets.size > 1 ? [...constant, ...moved] : moved;
  const scores: number[] = [];
  for (const way of [runs, ...others]) scores.push(await scoreOf(engine, pair, way));
  const [score = Number.NaN, ...rest] = scores;
  return { pair, score, rival: Math.max(...rest) };
}

/** The parts of runs that lie inside both videos, without frames of the previous run. */
function within(
  runs: readonly Run[],
  frames: { readonly reference: number; readonly distorted: number },
): Run[] {
  const kept: Run[] = [];
  for (const run of runs) {
    const last = kept.at(-1);
    const ends = last ? [last.reference + last.count, last.distorted + last.count] : [0, 0];
    const cut = Math.max(0, (ends[0] as number) - run.reference, (ends[1] as number) - run.distorted);
    const [reference, distorted] = [run.reference + cut, run.distorted + cut];
    const count = Math.min(run.count - cut, frames.reference - reference, frames.distorted - distorted);
    if (count > 0) kept.push({ reference, distorted, count });
  }
  return kept;
}

async function scoreOf(engine: Engine, pair: Pair, runs: readonly Run[]): Promise<number> {
  const { reference, distorted } = pair;
  const { score } = await engine.score(
    pairRequest({ reference, distorted, runs, findings: { action: "IGNORE" } }),
  );
  return score;
}

/** Lists the pairs, and counts those that score alike with another alignment. */
export function rivalsText(found: readonly Rivals[]): string {
  const isAlike = ({ score, rival }: Rivals) => rival >= score - ALIKE;
  const lines = found.map(
    (one) =>
      `${one.pair.id} (${one.pair.content}, ${one.pair.treatment.codec} ${one.pair.treatment.crf}): ${one.score.toFixed(2)} VMAF, ${one.rival.toFixed(2)} in another way${isAlike(one) ? ", alike" : ""}`,
  );
  const alike = found.filter(isAlike).length;
  return [
    ...lines,
    `Unclear in time: ${found.length} pairs, ${alike} of which score at most ${ALIKE} VMAF lower if frames are paired in another way.`,
  ].join("\n");
}
