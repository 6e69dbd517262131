/** Measures how much a fault that was not found changes the score. */

import type { Finding } from "../../src/engine/contract/finding.ts";
import { pairRequest } from "../../src/engine/contract/request.ts";
import type { ScoreResult } from "../../src/engine/contract/result.ts";
import type { Engine } from "../../src/engine/engine.ts";
import { Failure } from "../../src/platform/failure.ts";
import type { Pair } from "./corpus/store.ts";
import { leavesOpen } from "./judge.ts";
import type { Judged } from "./table.ts";

/** Change of the mean score above which it is wrong, in points of VMAF. */
const WRONG = 0.5;

export interface Effect {
  readonly judged: Judged;
  /** VMAF of the faulty pair less that of the same pair without the fault; undefined: the score refuses or warns. */
  readonly moved: number | undefined;
}

/** Scores a pair. If no finding hints at the fault, also scores the same pair without the fault. */
export async function effectOf(engine: Engine, judged: Judged, clean: Pair): Promise<Effect> {
  const faulty = await scored(engine, judged.pair);
  if (faulty === undefined || faulty.findings.some((finding) => hintsAtFault(finding, judged.pair)))
    return { judged, moved: undefined };
  const without = await scored(engine, clean, { action: "IGNORE" });
  return { judged, moved: without && faulty.score - without.score };
}

/**
 * Whether a finding hints at the fault. LEVELS_DIFFER does not if the treatment changed the gamma, and NOT_CHECKED
 * does only if it leaves the fault open.
 */
function hintsAtFault(finding: Finding, { treatment, truth }: Pair): boolean {
  if (finding.code === "NOT_CHECKED") return truth.expected.some((group) => leavesOpen(finding, group));
  return finding.code !== "LEVELS_DIFFER" || treatment.gamma === 1;
}

/** The result; undefined: the score was refused. */
async function scored(
  engine: Engine,
  { reference, distorted }: Pair,
  findings?: { readonly action: "IGNORE" },
): Promise<ScoreResult | undefined> {
  try {
    return await engine.score(pairRequest({ reference, distorted, ...(findings && { findings }) }));
  } catch (error) {
    if (error instanceof Failure) return undefined;
    throw error;
  }
}

/** Lists the faulty pairs that are scored without a finding, and their share of all `faults`. */
export function effectText(effects: readonly Effect[], faults: number): string {
  const unsaid = effects.flatMap(({ judged, moved }) => (moved === undefined ? [] : [{ judged, moved }]));
  const wrong = unsaid.filter(({ moved }) => Math.abs(moved) > WRONG);
  const lines = unsaid.map(
    ({ judged: { pair, verdict }, moved }) =>
      `${pair.id} (${pair.content}, ${pair.treatment.codec} ${pair.treatment.crf}): ${moved.toFixed(2)} VMAF, ${verdict.outcome}: ${verdict.reasons.join("; ")}`,
  );
  const share = ((100 * wrong.length) / Math.max(1, faults)).toFixed(1);
  return [
    ...lines,
    `Scored without a word: ${unsaid.length} of ${faults} pairs with a fault, ${wrong.length} (${share} %) of them by more than ${WRONG} VMAF off.`,
  ].join("\n");
}
