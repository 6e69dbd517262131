/** Reads a program's output by lines, in bounded memory. */
import type { Readable } from "node:stream";

/** A longer line is cut here: no line that is read for its meaning comes near. */
const MAX_LINE = 8192;

/** Feeds each line to `onLine`; \r ends a line too (ffmpeg's status line). Ends with the stream. */
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
