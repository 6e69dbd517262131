/** How tests wait: never for ever, and what took too long is told. */
import { setTimeout as delay } from "node:timers/promises";

/**
 * Milliseconds that any one thing may take before a test gives up on it: a crowded machine stands still for
 * seconds, and a third of what the runner gives a whole file, so that the wait that failed is what is told.
 */
export const PATIENCE_MS = 300_000;

const LOOK_EVERY_MS = 10;

/** What is waited for, in words; as a function it is asked when it is too late, and can say what there is by then. */
type What = string | (() => string | Promise<string>);

/** Looks again and again until something holds; throws when it does not in time, or when looking does. */
export async function until(
  holds: () => boolean | Promise<boolean>,
  what: What,
  limitMs = PATIENCE_MS,
): Promise<void> {
  const giveUp = Date.now() + limitMs;
  while (!(await holds())) {
    if (Date.now() > giveUp) throw await tooLate(what, limitMs);
    await delay(LOOK_EVERY_MS);
  }
}

/** A promise that must settle in time; throws when it does not. */
export async function soon<T>(promise: Promise<T>, what: What, limitMs = PATIENCE_MS): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => void tooLate(what, limitMs).then(reject, reject), limitMs);
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

async function tooLate(what: What, limitMs: number): Promise<Error> {
  return new Error(`waited ${limitMs} ms for ${typeof what === "string" ? what : await what()}`);
}
