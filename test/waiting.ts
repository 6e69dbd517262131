/** Waiting in tests: always with a limit, and with an error that names what was waited for. */
import { setTimeout as delay } from "node:timers/promises";

/**
 * Milliseconds after which a wait fails. Long, because a busy machine can stall for seconds; a third of the runner's
 * limit for a file, so that the wait itself reports the failure.
 */
export const WAIT_LIMIT_MS = 300_000;

const LOOK_EVERY_MS = 10;

/**
 * What is waited for, in words. A function is called after the limit, so that it can describe the state at that time.
 */
type What = string | (() => string | Promise<string>);

/** Polls until a condition holds. Throws if it does not hold in time, or if the condition throws. */
export async function until(
  holds: () => boolean | Promise<boolean>,
  what: What,
  limitMs = WAIT_LIMIT_MS,
): Promise<void> {
  const giveUp = Date.now() + limitMs;
  while (!(await holds())) {
    if (Date.now() > giveUp) throw await tooLate(what, limitMs);
    await delay(LOOK_EVERY_MS);
  }
}

/** Awaits a promise. Throws if it does not settle in time. */
export async function withTimeout<T>(promise: Promise<T>, what: What, limitMs = WAIT_LIMIT_MS): Promise<T> {
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
