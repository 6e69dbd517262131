/** Reads a whole text file, or standard input. */
import { createReadStream } from "node:fs";
import type { Readable } from "node:stream";
import { Failure } from "../../platform/failure.ts";
import { systemReason } from "../../platform/system-reason.ts";

/** Size limit: the text is read completely before it is parsed. */
const MAX_BYTES = 64 * 1024 * 1024;

export interface TextInput {
  /** Names the text in the message after Ctrl-C, such as "the list". */
  readonly what: string;
  /** Returns the failure for a reason without a full stop. */
  readonly unusable: (why: string) => Failure;
}

/**
 * Returns the text of a file, or of standard input for "-", without a byte order mark. Throws what `unusable` returns,
 * or SCORE_CANCELLED if the signal aborts.
 */
export async function readText(
  name: string,
  stdin: NodeJS.ReadStream,
  signal: AbortSignal,
  { what, unusable }: TextInput,
): Promise<string> {
  try {
    const bytes = await readBytes(name === "-" ? stdin : createReadStream(name), signal, unusable);
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    if (error instanceof Failure) throw error;
    if (signal.aborted) throw new Failure("SCORE_CANCELLED", `Stopped while reading ${what}.`);
    if (error instanceof TypeError) throw unusable("it is not text in UTF-8. Save it as UTF-8");
    throw unusable(systemReason(error));
  }
}

async function readBytes(
  source: Readable,
  signal: AbortSignal,
  unusable: TextInput["unusable"],
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  const stop = () => source.destroy(new Error("stopped"));
  signal.addEventListener("abort", stop);
  try {
    if (signal.aborted) stop();
    for await (const chunk of source as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > MAX_BYTES) throw unusable(`it is larger than ${MAX_BYTES} bytes. Split it`);
    }
  } finally {
    signal.removeEventListener("abort", stop);
  }
  return Buffer.concat(chunks);
}

/** Returns the delimiter that spreadsheets use instead of a comma in locales with a decimal comma. */
export function wrongDelimiter(cells: readonly string[]): string | undefined {
  if (cells.some((cell) => cell.includes(";"))) return '";"';
  return cells.some((cell) => cell.includes("\t")) ? "tabs" : undefined;
}
