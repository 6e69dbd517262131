/** The worst shots or segments of a score, for people. */
import { type ScoredSpan, WORST_SPANS, worstSpans } from "../../jobs/scores/spans.ts";
import { exact, timeCode } from "../terminal/numbers.ts";
import { paint, type Terminal } from "../terminal/terminal.ts";

/**
 * Returns a heading and a line for each of the worst spans; nothing for a video of a single span, whose
 * scores are those of all frames. `rate`: frames per second; undefined if unknown.
 */
export function spanLines(
  what: "shots" | "segments",
  spans: readonly ScoredSpan[],
  rate: number | undefined,
  terminal: Terminal,
): readonly string[] {
  if (spans.length < 2) return [];
  const worst = worstSpans(spans);
  const title = what === "shots" ? "Shots" : "Segments";
  const of = spans.length > WORST_SPANS ? `Worst ${WORST_SPANS} of ${spans.length} ${what}` : title;
  const frames = widest(worst.map(spanText));
  const [means, mins] = [
    widest(worst.map(({ mean }) => exact(mean))),
    widest(worst.map(({ min }) => exact(min))),
  ];
  const lines = worst.map((span, index) => {
    const time = rate === undefined ? "" : `  ${timeCode(span.firstFrame / rate)}`;
    const scores = `mean ${exact(span.mean).padStart(means)}  worst ${exact(span.min).padStart(mins)} at ${span.worstFrame}`;
    return `  ${paint(terminal, "yellow", String(index + 1))}  frames ${spanText(span).padEnd(frames)}${time}  ${scores}`;
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
