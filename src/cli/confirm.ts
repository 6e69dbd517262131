/** A question on the terminal, before something that cannot be taken back. */
import { once } from "node:events";
import { createInterface } from "node:readline/promises";
import { Failure } from "../platform/failure.ts";

/** Whether somebody answers y or yes. The end of the input is a no. Throws SCORE_CANCELLED when the signal aborts. */
export async function confirmed(question: string, signal: AbortSignal): Promise<boolean> {
  // Without the terminal's own editing, Ctrl-C is the signal that every command listens to.
  const lines = createInterface({ input: process.stdin, output: process.stderr, terminal: false });
  const ended = once(lines, "close").then(() => "");
  try {
    const answer = await Promise.race([lines.question(`${question} [y/N] `, { signal }), ended]);
    return /^y(es)?$/i.test(answer.trim());
  } catch (thrown) {
    if (signal.aborted) throw new Failure("SCORE_CANCELLED", "Stopped.");
    throw thrown;
  } finally {
    lines.close();
  }
}
