/** The ladders that are proposed instead of given ones, as JSON and as CSV. */
import { csvRow } from "../jobs/text/csv-row.ts";
import {
  type ProposalReason,
  type ProposalRequest,
  type ProposedRung,
  proposedLadder,
} from "../rates/proposal.ts";
import type { NamedPoint, Rungs } from "./rungs.ts";

export interface Proposal {
  readonly ladder: string;
  readonly clip: string;
  /** The rungs, best first; none if too few encodes are on the convex hull, or none is within the rate. */
  readonly rungs: readonly ProposedRung<NamedPoint>[];
}

export const REASONS: Readonly<Record<ProposalReason, string>> = {
  BEST: "the best of the encodes",
  MAX_RATE: "the highest score within the largest rate",
  STEP: "one step below the rung above",
};

/** Returns a proposal for each ladder and clip. */
export function proposalsOf(rungs: readonly Rungs[], request: ProposalRequest): readonly Proposal[] {
  return rungs.map(({ ladder, clip, points }) => ({ ladder, clip, rungs: proposedLadder(points, request) }));
}

/** Returns a proposal with the names of docs/cli.md. */
export function proposalJson({ ladder, clip, rungs }: Proposal, metric: string) {
  const proposed = rungs.map(({ rate, score, reason, like }) => {
    return { rate, score, reason, likeRate: like.rate };
  });
  return { ladder, clip: clip === "" ? null : clip, metric, rungs: proposed };
}

/** A row for each rung. Rates are whole bits per second. */
export function* proposalsCsv(proposals: readonly Proposal[], metric: string): Generator<string> {
  yield csvRow(["ladder", "clip", "rate", metric, "like", "reason"]);
  for (const { ladder, clip, rungs } of proposals)
    for (const { rate, score, like, reason } of rungs)
      yield csvRow([ladder, clip, String(Math.round(rate)), score.toFixed(2), like.name, REASONS[reason]]);
}
