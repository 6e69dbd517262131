/**
 * Clients that call without a rest, each over a line that it keeps. What fails is tried again on a new line, as
 * often as the patience allows, and every failure is remembered.
 */
import { setTimeout as delay } from "node:timers/promises";
import { type Addresses, CallFailed, Line } from "./line.ts";

export interface Patience {
  /** Times that a call is tried again. */
  readonly retries: number;
  /** What is waited for before that. */
  readonly pause: () => Promise<unknown>;
}

/** A kind of call. */
export interface Kind {
  readonly name: string;
  /** What the next call does, each time that it is tried; undefined: there is nothing to do now. */
  next(): ((line: Line) => Promise<void>) | undefined;
}

/** Milliseconds between two calls of a client. */
const PAUSE_MS = 50;

export class Callers {
  /** Calls that were answered, by kind. */
  readonly answered = new Map<string, number>();
  /** "KIND: CODE: detail" of each try that failed. */
  readonly failed: string[] = [];
  /** The same of calls of which every try failed. */
  readonly lost: string[] = [];
  readonly #addresses: Addresses;
  /** Kinds whose call is being tried again. */
  readonly #again = new Set<string>();

  constructor(addresses: Addresses) {
    this.#addresses = addresses;
  }

  /** Whether no call is being tried again. */
  get isCalm(): boolean {
    return this.#again.size === 0;
  }

  /** One client for each kind calls until the signal aborts, and finishes what it began. */
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

  /** Returns the line to go on with. */
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
        const told = `${name}: ${CallFailed.from(thrown).message}`;
        this.failed.push(told);
        this.#again.add(name);
        line[Symbol.dispose]();
        line = new Line(this.#addresses);
        if (left === 0) {
          this.lost.push(told);
          this.#again.delete(name);
          return line;
        }
        await pause();
      }
    }
  }
}
