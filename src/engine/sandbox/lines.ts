/** Reads a program's output line by line, in bounded memory. */
import type { Readable } from "node:stream";

/** Longer lines are truncated. No line that is parsed comes near this length. */
const MAX_LINE = 8192;

/** Passes each line to `onLine`; \r also ends a line (ffmpeg's status line). Resolves when the stream ends. */
export async function splitLines(
  stream: Readable | null | undefined,
  onLine: ((line: string) => void) | undefined,
): Promise<void> {
  if (!stream) return;
  if (onLine === undefined) {
    stream.resume();
    await new Promise<void>((resolve) => stream.once("close", resolve));
    return;
  }
  stream.setEncoding("utf8");
  let rest = "";
  for await (const chunk of stream as AsyncIterable<string>) {
    const lines = (rest + chunk).split(/\r\n|\n|\r/);
    rest = (lines.pop() ?? "").slice(0, MAX_LINE);
    for (const line of lines) onLine(line.slice(0, MAX_LINE));
  }
  if (rest !== "") onLine(rest);
}
