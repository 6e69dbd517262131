/** The ladders that are proposed instead of given ones, as JSON and as CSV. */
import { type CsvColumn, csvTable } from "../jobs/text/csv-row.ts";
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

/** Rates from here on are whole numbers as CSV: they are in bits or kilobits per second. */
const WHOLE_RATE = 1000;

type ProposedRow = ProposedRung<NamedPoint> & Pick<Proposal, "ladder" | "clip">;

/** Returns a line for each rung. Rates below 1,000, as in Mbit/s, have three decimals; others are whole numbers. */
export function proposalsCsv(proposals: readonly Proposal[], metric: string): Generator<string> {
  const columns: readonly CsvColumn<ProposedRow>[] = [
    ["ladder", ({ ladder }) => ladder],
    ["clip", ({ clip }) => clip],
    ["rate", ({ rate }) => Number(rate.toFixed(rate < WHOLE_RATE ? 3 : 0))],
    [metric, ({ score }) => score.toFixed(2)],
    ["like", ({ like }) => like.name],
    ["reason", ({ reason }) => REASONS[reason]],
  ];
  const rows = proposals.flatMap(({ ladder, clip, rungs }) =>
    rungs.map((rung) => ({ ladder, clip, ...rung })),
  );
  return csvTable(columns, rows);
}
