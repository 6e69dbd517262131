/** Clients do not give up: what an outage explains is tried again, and nothing else. */
import { setTimeout as delay } from "node:timers/promises";
import { Failure } from "../../src/platform/failure.ts";

/** Milliseconds between two attempts. */
const RETRY_MS = 100;

/** Calls until there is an answer; with the attempts that it took. */
export async function insist<T>(call: () => Promise<T>): Promise<{ answer: T; attempts: number }> {
  for (let attempts = 1; ; attempts++) {
    try {
      return { answer: await call(), attempts };
    } catch (error) {
      if (!(error instanceof Failure) || error.kind !== "unavailable") throw error;
      await delay(RETRY_MS);
    }
  }
}
