/**
 * Clients that call continuously, each on its own kept-alive connection. Failed calls are retried on a new connection
 * up to a limit, and every failure is recorded.
 */
import { setTimeout as delay } from "node:timers/promises";
import { type Addresses, CallFailed, Line } from "./line.ts";

export interface Patience {
  /** Maximum retries of a call. */
  readonly retries: number;
  /** Pause before a retry. */
  readonly pause: () => Promise<unknown>;
}

/** A kind of call. */
export interface Kind {
  readonly name: string;
  /** What the next call does at each attempt; undefined: there is nothing to do now. */
  next(): ((line: Line) => Promise<void>) | undefined;
}

/** Milliseconds between two calls of a client. */
const PAUSE_MS = 50;

export class Callers {
  /** Answered calls by kind. */
  readonly answered = new Map<string, number>();
  /** "KIND: CODE: detail" of each failed attempt. */
  readonly failed: string[] = [];
  /** The same for calls of which every attempt failed. */
  readonly lost: string[] = [];
  readonly #addresses: Addresses;
  /** Kinds whose call is being retried. */
  readonly #again = new Set<string>();

  constructor(addresses: Addresses) {
    this.#addresses = addresses;
  }

  /** Whether no call is being retried. */
  get isCalm(): boolean {
    return this.#again.size === 0;
  }

  /** One client per kind calls until the signal aborts, and finishes its current call. */
  async run(kinds: readonly Kind[], patience: Patience, signal: AbortSignal): Promise<void> {
    await Promise.all(kinds.map((kind) => this.#client(kind, patience, signal)));
  }

  async #client(kind: Kind, patience: Patience, signal: AbortSignal): Promise<void> {
    let line = new Line(this.#addresses);
    while (!signal.aborted) {
      const call = kind.next();
      if (call !== undefined) line = await this.#insist(kind.name, call, line, patience);
      await delay(PAUSE_MS);
    }
    line[Symbol.dispose]();
  }

  /** Returns the connection for the next call. */
  async #insist(
    name: string,
    call: (line: Line) => Promise<void>,
    first: Line,
    { retries, pause }: Patience,
  ): Promise<Line> {
    let line = first;
    for (let left = retries; ; left--) {
      try {
        await call(line);
        this.answered.set(name, (this.answered.get(name) ?? 0) + 1);
        this.#again.delete(name);
        return line;
      } catch (thrown) {
        const failure = `${name}: ${CallFailed.from(thrown).message}`;
        this.failed.push(failure);
        this.#again.add(name);
        line[Symbol.dispose]();
        line = new Line(this.#addresses);
        if (left === 0) {
          this.lost.push(failure);
          this.#again.delete(name);
          return line;
        }
        await pause();
      }
    }
  }
}
