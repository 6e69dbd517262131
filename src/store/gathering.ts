/**
 * Calls that come in one turn of the event loop, or while others of their kind are under way, go
 * together: one statement and one commit for all of them. Waiting for the turn's end more than
 * doubles how many go together under load, and delays a call that comes alone by microseconds.
 */
import { setImmediate as endOfTurn } from "node:timers/promises";
import { Failure } from "../platform/failure.ts";

/** Calls that go together at most: more gain nothing. */
const MOST_CALLS = 64;
/** A statement of more bytes would be slow to take, and hold a connection for long. */
const MOST_BYTES = 2 * 2 ** 20;

interface Call<Input, Output> {
  readonly input: Input;
  resolve(output: Output): void;
  reject(error: unknown): void;
}

export class Gathering<Input, Output> {
  readonly #run: (key: string, inputs: readonly Input[]) => Promise<readonly (Output | Failure)[]>;
  readonly #bytesOf: (input: Input) => number;
  /** Of each key that calls are under way of, those that wait. */
  readonly #waiting = new Map<string, Call<Input, Output>[]>();

  /**
   * @param run gives one output per input, in order. When it throws it may be called again with any of them.
   * @param bytesOf what an input takes of a statement, about.
   */
  constructor(
    run: (key: string, inputs: readonly Input[]) => Promise<readonly (Output | Failure)[]>,
    bytesOf: (input: Input) => number,
  ) {
    this.#run = run;
    this.#bytesOf = bytesOf;
  }

  /** Only calls of one key go together, and one after the other. */
  call(key: string, input: Input): Promise<Output> {
    const { promise, resolve, reject } = Promise.withResolvers<Output>();
    const call = { input, resolve, reject };
    const waiting = this.#waiting.get(key);
    if (waiting === undefined) void this.#go(key, [call]);
    else waiting.push(call);
    return promise;
  }

  async #go(key: string, waiting: Call<Input, Output>[]): Promise<void> {
    this.#waiting.set(key, waiting);
    while (waiting.length > 0) {
      await endOfTurn();
      await this.#answer(key, waiting.splice(0, this.#fitting(waiting)));
    }
    this.#waiting.delete(key);
  }

  /** How many of the calls go together: one always. */
  #fitting(calls: readonly Call<Input, Output>[]): number {
    let bytes = 0;
    let count = 0;
    for (const { input } of calls) {
      bytes += this.#bytesOf(input);
      if (count === MOST_CALLS || (count > 0 && bytes > MOST_BYTES)) break;
      count++;
    }
    return count;
  }

  /** Calls that fail together are tried one by one: what is wrong with one is no concern of the others. */
  async #answer(key: string, calls: readonly Call<Input, Output>[]): Promise<void> {
    try {
      const outputs = await this.#run(
        key,
        calls.map(({ input }) => input),
      );
      for (const [index, call] of calls.entries()) {
        const output = outputs[index] as Output | Failure;
        if (output instanceof Failure) call.reject(output);
        else call.resolve(output);
      }
    } catch (error) {
      const alone = calls.length === 1 || Failure.from(error).code === "STORE_UNAVAILABLE";
      if (alone) for (const call of calls) call.reject(error);
      else for (const call of calls) await this.#answer(key, [call]);
    }
  }
}
