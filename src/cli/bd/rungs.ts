/** Formats the faults of ladders' rungs, and the ladders that are proposed instead. */
import type { ProposalRequest, ProposedRung } from "../../rates/proposal.ts";
import { proposalsOf, REASONS } from "../../report/proposals.ts";
import { briefNotes } from "../../report/rung-groups.ts";
import type { NamedPoint, RungNote, Rungs } from "../../report/rungs.ts";
import { printable } from "../terminal/escape.ts";
import { type TableColumn, tableLines } from "../terminal/table.ts";
import { paint, type Terminal } from "../terminal/terminal.ts";
import { wrap } from "../terminal/wrap.ts";

/** Limit of printed notes; --json has all of them. */
const MOST_NOTES = 12;

/** Returns a heading and a line for each note, or for the notes of one kind if there are many; nothing without notes. */
export function rungLines(notes: readonly RungNote[], metric: string, terminal: Terminal): string[] {
  if (notes.length === 0) return [];
  const brief = briefNotes(notes, MOST_NOTES);
  const lines = brief
    .slice(0, MOST_NOTES)
    .flatMap(({ ladder, clip, text }) =>
      wrap(`${printable(placeText(ladder, clip))}: ${printable(text)}`, terminal.columns, "  "),
    );
  const more = brief.length > MOST_NOTES ? `and ${brief.length - MOST_NOTES} more; ` : "";
  const heading = paint(terminal, "bold", `Rungs, by ${printable(metric)}`);
  const all =
    notes.length > MOST_NOTES ? [paint(terminal, "dim", `${more}--json lists all ${notes.length}`)] : [];
  return [heading, ...lines, ...all, ""];
}

/** The encodes that ladders are judged by. */
interface Judged {
  readonly metric: string;
  readonly rungs: readonly Rungs[];
}

/** Returns the proposed ladder for each clip and ladder. `rateText`: formats a rate. */
export function proposalLines(
  { rungs, metric }: Judged,
  request: ProposalRequest,
  rateText: (rate: number) => string,
  terminal: Terminal,
): string[] {
  return proposalsOf(rungs, request).flatMap(({ ladder, clip, rungs: proposed }) => {
    const title = `${printable(placeText(ladder, clip))}: proposed ladder, in steps of ${request.step} points of ${printable(metric)}`;
    if (proposed.length === 0)
      return [
        `${paint(terminal, "bold", title)}: none, because too few encodes are on the convex hull, or within the rate`,
        "",
      ];
    return [
      paint(terminal, "bold", title),
      ...tableLines(proposed, columnsOf(rateText), terminal, { heading: true }).map((line) => `  ${line}`),
      "",
    ];
  });
}

type Row = ProposedRung<NamedPoint>;

function columnsOf(rateText: (rate: number) => string): readonly TableColumn<Row>[] {
  return [
    { heading: "RATE", align: "right", atLeast: 6, text: ({ rate }) => rateText(rate) },
    { heading: "SCORE", align: "right", atLeast: 6, text: ({ score }) => score.toFixed(2) },
    { heading: "LIKE", atLeast: 0, text: ({ like }) => printable(like.name) },
    { heading: "REASON", atLeast: 0, dispensable: 1, text: ({ reason }) => REASONS[reason] },
  ];
}

/** A rate in the unit of the table, to four digits. */
export function plainRate(rate: number): string {
  return String(Number(rate.toPrecision(4)));
}

function placeText(ladder: string, clip: string): string {
  return clip === "" ? ladder : `${ladder}, ${clip}`;
}
