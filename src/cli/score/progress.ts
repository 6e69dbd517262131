/** The progress line on a terminal: redrawn in place, erased at the end. */
import type { EstimateProgress } from "../../engine/contract/estimate.ts";
import type { Progress } from "../../engine/contract/result.ts";
import { barLine, percentText } from "../terminal/bar.ts";
import { clock } from "../terminal/numbers.ts";
import type { Terminal } from "../terminal/terminal.ts";

const ERASE_LINE = "\r\x1b[K";

/** Where the line is drawn: standard error. */
export interface ProgressOutput {
  write(text: string): unknown;
}

export interface ProgressLine {
  /** Shows what happens before the first frame. */
  note(text: string): void;
  update(progress: Progress): void;
  /** Erases the line. Safe to call twice. */
  clear(): void;
}

/** Returns a progress line that draws only if the terminal can redraw a line. */
export function progressLine(output: ProgressOutput, terminal: () => Terminal): ProgressLine {
  let shown = false;
  const draw = (text: string, { live }: Terminal) => {
    if (!live) return;
    shown = true;
    output.write(ERASE_LINE + text);
  };
  return {
    note: (text) => draw(text.slice(0, terminal().columns - 1), terminal()),
    update: (progress) => draw(progressText(progress, terminal()), terminal()),
    clear() {
      if (shown) output.write(ERASE_LINE);
      shown = false;
    },
  };
}

/**
 * Returns one line, narrower than the terminal: bar, percentage, frames, fps, time left; while estimating, the estimate
 * so far. The least useful parts are dropped first.
 */
export function progressText(progress: Progress, terminal: Terminal): string {
  const { framesDone, framesTotal, fps, secondsLeft, estimate } = progress;
  const share = framesTotal > 0 ? Math.min(1, framesDone / framesTotal) : 0;
  const percent = percentText(share);
  const speed = `${fps.toFixed(1)} fps`;
  const left = secondsLeft === undefined ? "" : `${clock(Math.ceil(secondsLeft))} left`;
  const frames = `${framesDone}/${framesTotal} frames`;
  const variants =
    estimate === undefined
      ? [[percent, frames, speed, left], [percent, speed, left], [percent, speed], [percent]]
      : [[percent, soFar(estimate, terminal), left], [percent, soFar(estimate, terminal)], [percent]];
  const texts = variants.map((parts) => parts.filter((part) => part !== "").join("  "));
  return barLine(share, texts, terminal);
}

/** "estimate 93.1 ± 0.8, 4 % scored". */
function soFar({ mean, halfWidth, scoredShare }: EstimateProgress, { unicode }: Terminal): string {
  const interval = `${mean.toFixed(1)} ${unicode ? "±" : "+-"} ${halfWidth.toFixed(1)}`;
  return `estimate ${interval}, ${(scoredShare * 100).toFixed(scoredShare < 0.1 ? 1 : 0)} % scored`;
}
