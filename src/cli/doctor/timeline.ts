/**
 * Draws which frames of the two videos show the same content: one bar for each side, and the runs listed in
 * words.
 */
import type { Run } from "../../engine/contract/alignment.ts";
import { SIDES, type Side } from "../../engine/contract/request.ts";
import { framesText } from "../../engine/media/track.ts";
import { paint, type Terminal } from "../terminal/terminal.ts";

/** Width of a bar in characters, if the terminal has room. */
const MOST_COLUMNS = 64;
const LABEL_COLUMNS = 11;
/** Runs that are listed in words; the others are only counted. */
const MOST_RUNS = 6;

export interface Timeline {
  readonly runs: readonly Run[];
  readonly frames: Readonly<Record<Side, number>>;
}

/** Returns the lines; none if no frames match. */
export function timelineLines({ runs, frames }: Timeline, terminal: Terminal): string[] {
  if (runs.length === 0) return [];
  const width = Math.min(MOST_COLUMNS, terminal.columns - LABEL_COLUMNS - 2);
  const all = Math.max(frames.reference, frames.distorted);
  const bars = SIDES.map(
    (side) => `${side.padEnd(LABEL_COLUMNS)}${bar(side, { runs, frames }, { width, all, terminal })}`,
  );
  const words = runs.slice(0, MOST_RUNS).map(runText);
  const more = runs.length - words.length;
  return [
    paint(terminal, "dim", "Frames with the same content"),
    ...bars,
    ...words.map((text) => `  ${text}`),
    ...(more > 0 ? [`  and ${more} more`] : []),
  ];
}

/**
 * Draws the bar of a side. A character stands for the same number of frames on both sides; it is full if all of them
 * have a partner.
 */
function bar(
  side: Side,
  { runs, frames }: Timeline,
  { width, all, terminal }: { width: number; all: number; terminal: Terminal },
): string {
  const [full, part, none] = terminal.unicode ? ["█", "▒", "░"] : ["#", "+", "."];
  const cells = Math.max(1, Math.round((width * frames[side]) / all));
  let text = "";
  for (let cell = 0; cell < cells; cell++) {
    const from = Math.floor((cell * frames[side]) / cells);
    const to = Math.max(from + 1, Math.floor(((cell + 1) * frames[side]) / cells));
    const matched = runs.reduce((sum, run) => sum + overlap(run[side], run.count, from, to), 0);
    text += matched === to - from ? full : matched > 0 ? part : none;
  }
  return text;
}

function overlap(first: number, count: number, from: number, to: number): number {
  return Math.max(0, Math.min(first + count, to) - Math.max(first, from));
}

function runText({ reference, distorted, count }: Run): string {
  const span = (first: number) => (count === 1 ? String(first) : `${first}–${first + count - 1}`);
  return `reference ${span(reference)} = distorted ${span(distorted)} (${framesText(count)})`;
}
