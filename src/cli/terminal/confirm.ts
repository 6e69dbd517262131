/** Asks for confirmation on the terminal before a change that can't be undone. */
import { once } from "node:events";
import { createInterface } from "node:readline/promises";
import { Failure } from "../../platform/failure.ts";

/**
 * Returns whether the answer is y or yes. The end of the input counts as no. Throws SCORE_CANCELLED if the signal
 * aborts.
 */
export async function confirmed(question: string, signal: AbortSignal): Promise<boolean> {
  // Without readline's line editing, Ctrl-C arrives as SIGINT, which every command handles.
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
