/** The worst shots of a score, for people. */
import { type ScoredSpan, WORST_SPANS, worstSpans } from "../../jobs/scores/spans.ts";
import { exact, timeCode } from "../terminal/numbers.ts";
import { paint, type Terminal } from "../terminal/terminal.ts";

/**
 * Returns a heading and a line for each of the worst shots; nothing of a video of one shot, whose scores are those of all
 * frames. `rate`: frames per second; undefined if unknown.
 */
export function shotLines(
  shots: readonly ScoredSpan[],
  rate: number | undefined,
  terminal: Terminal,
): readonly string[] {
  if (shots.length < 2) return [];
  const worst = worstSpans(shots);
  const of = shots.length > WORST_SPANS ? `Worst ${WORST_SPANS} of ${shots.length} shots` : "Shots";
  const spans = widest(worst.map(spanText));
  const [means, mins] = [
    widest(worst.map((shot) => exact(shot.mean))),
    widest(worst.map((shot) => exact(shot.min))),
  ];
  const lines = worst.map((shot, index) => {
    const time = rate === undefined ? "" : `  ${timeCode(shot.firstFrame / rate)}`;
    const scores = `mean ${exact(shot.mean).padStart(means)}  worst ${exact(shot.min).padStart(mins)} at ${shot.worstFrame}`;
    return `  ${paint(terminal, "yellow", String(index + 1))}  frames ${spanText(shot).padEnd(spans)}${time}  ${scores}`;
  });
  return [paint(terminal, "dim", `${of}, lowest mean first`), ...lines];
}

/** "175-224" */
export function spanText({ firstFrame, frameCount }: ScoredSpan): string {
  return `${firstFrame}-${firstFrame + frameCount - 1}`;
}

function widest(texts: readonly string[]): number {
  return Math.max(...texts.map(({ length }) => length));
}
