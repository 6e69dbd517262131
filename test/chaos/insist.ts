/** Clients do not give up soon: what an outage explains is tried again, and nothing else. */
import { setTimeout as delay } from "node:timers/promises";
import { Failure } from "../../src/platform/failure.ts";
import { PATIENCE_MS } from "../waiting.ts";

/** Milliseconds between two attempts. */
const RETRY_MS = 100;

/** Calls until there is an answer; with the attempts that it took. Throws what the last one met when that takes too long. */
export async function insist<T>(call: () => Promise<T>): Promise<{ answer: T; attempts: number }> {
  const giveUp = Date.now() + PATIENCE_MS;
  for (let attempts = 1; ; attempts++) {
    try {
      return { answer: await call(), attempts };
    } catch (error) {
      if (!(error instanceof Failure) || error.kind !== "unavailable" || Date.now() > giveUp) throw error;
      await delay(RETRY_MS);
    }
  }
}
