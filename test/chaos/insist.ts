/** Clients that retry calls that fail because of an outage, and no others. */
import { setTimeout as delay } from "node:timers/promises";
import { Failure } from "../../src/platform/failure.ts";
import { WAIT_LIMIT_MS } from "../waiting.ts";

/** Milliseconds between two attempts. */
const RETRY_MS = 100;

/**
 * Calls until there is a response; returns it with the number of attempts. Throws the last error after a time limit.
 */
export async function insist<T>(call: () => Promise<T>): Promise<{ answer: T; attempts: number }> {
  const giveUp = Date.now() + WAIT_LIMIT_MS;
  for (let attempts = 1; ; attempts++) {
    try {
      return { answer: await call(), attempts };
    } catch (error) {
      if (!(error instanceof Failure) || error.kind !== "unavailable" || Date.now() > giveUp) throw error;
      await delay(RETRY_MS);
    }
  }
}
