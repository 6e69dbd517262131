/** Variables that replace a flag without a value. */
import { Failure } from "../../platform/failure.ts";

const WORDS: Readonly<Record<string, boolean>> = { true: true, "1": true, false: false, "0": false };

/**
 * Returns whether the variable is "true" or "1"; false if it isn't set. Throws INVALID_REQUEST for other values than
 * true, 1, false and 0.
 */
export function switchVariable(name: string): boolean {
  const given = process.env[name];
  if (!given) return false;
  const on = Object.hasOwn(WORDS, given) ? WORDS[given] : undefined;
  if (on !== undefined) return on;
  throw new Failure(
    "INVALID_REQUEST",
    `The variable ${name} is ${JSON.stringify(given)}, which is not true or false.`,
  );
}
