/** The progress line on a terminal: redrawn in place, erased at the end. */
import type { Progress } from "../../engine/contract/result.ts";
import { clock } from "../terminal/numbers.ts";
import { paint, type Terminal } from "../terminal/terminal.ts";

const BAR_COLUMNS = 28;
const MIN_BAR_COLUMNS = 6;
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
 * Returns one line, narrower than the terminal: bar, percentage, frames, fps, time left. The least useful parts are
 * dropped first.
 */
export function progressText(progress: Progress, terminal: Terminal): string {
  const { framesDone, framesTotal, fps, secondsLeft } = progress;
  const share = framesTotal > 0 ? Math.min(1, framesDone / framesTotal) : 0;
  const percent = `${String(Math.floor(share * 100)).padStart(3)} %`;
  const speed = `${fps.toFixed(1)} fps`;
  const left = secondsLeft === undefined ? "" : `${clock(Math.ceil(secondsLeft))} left`;
  const frames = `${framesDone}/${framesTotal} frames`;
  const variants = [[percent, frames, speed, left], [percent, speed, left], [percent, speed], [percent]];
  for (const parts of variants) {
    const tail = parts.filter((part) => part !== "").join("  ");
    const room = terminal.columns - 1 - tail.length - 2;
    if (room >= MIN_BAR_COLUMNS) return `${bar(share, Math.min(BAR_COLUMNS, room), terminal)}  ${tail}`;
  }
  return percent;
}

function bar(share: number, columns: number, terminal: Terminal): string {
  const full = Math.round(share * columns);
  const [done, rest] = terminal.unicode ? ["█", "░"] : ["#", "."];
  return paint(terminal, "cyan", done.repeat(full)) + paint(terminal, "dim", rest.repeat(columns - full));
}
