/** A progress bar, and the line that it is drawn in. */
import { paint, type Terminal } from "./terminal.ts";

const BAR_COLUMNS = 28;
const MIN_BAR_COLUMNS = 6;

/**
 * Returns a line, narrower than the terminal, with a bar and the first of the texts that leaves room for it.
 * If none does, it has only the last text. `share`: 0 to 1.
 */
export function barLine(share: number, texts: readonly string[], terminal: Terminal): string {
  for (const text of texts) {
    const room = terminal.columns - 1 - text.length - 2;
    if (room >= MIN_BAR_COLUMNS) return `${bar(share, Math.min(BAR_COLUMNS, room), terminal)}  ${text}`;
  }
  return texts.at(-1) ?? "";
}

/** Returns a share, 0 to 1, as a percentage of four characters or more. */
export function percentText(share: number): string {
  return `${String(Math.floor(share * 100)).padStart(3)} %`;
}

function bar(share: number, columns: number, terminal: Terminal): string {
  const full = Math.round(share * columns);
  const [done, rest] = terminal.unicode ? ["█", "░"] : ["#", "."];
  return paint(terminal, "cyan", done.repeat(full)) + paint(terminal, "dim", rest.repeat(columns - full));
}
