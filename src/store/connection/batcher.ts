/**
 * Batches calls that arrive in one event-loop turn, or while others with the same key are running, into one statement
 * and one commit. Waiting for the end of the turn more than doubles the batch size under load, and delays a single
 * call by microseconds.
 */
import { setImmediate as endOfTurn } from "node:timers/promises";
import { Failure } from "../../platform/failure.ts";

/** Calls per batch; larger batches gain nothing. */
const MAX_CALLS = 64;
/**
 * Number of waiting calls from which on a batch takes only half of them. If it took all, their callers would
 * continue together and make the next kind of call together, so that one kind would always wait for the
 * other.
 */
const MANY_CALLS = 16;
/** Bytes per batch; a larger statement would be slow to transfer and occupy a connection for long. */
const MAX_BYTES = 2 * 2 ** 20;

interface Call<Input, Output> {
  readonly input: Input;
  resolve(output: Output): void;
  reject(error: unknown): void;
}

export class Batcher<Input, Output> {
  readonly #run: (key: string, inputs: readonly Input[]) => Promise<readonly (Output | Failure)[]>;
  readonly #bytesOf: (input: Input) => number;
  /** Waiting calls of each key that has a running batch. */
  readonly #waiting = new Map<string, Call<Input, Output>[]>();

  /**
   * @param run returns one output per input, in order. If it throws, it may be called again with any of the inputs.
   * @param bytesOf approximate bytes of an input in the statement.
   */
  constructor(
    run: (key: string, inputs: readonly Input[]) => Promise<readonly (Output | Failure)[]>,
    bytesOf: (input: Input) => number,
  ) {
    this.#run = run;
    this.#bytesOf = bytesOf;
  }

  /** Adds a call to the next batch of its key. Batches of one key run one after the other. */
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

  /** Number of calls that fit in a batch; at least one. */
  #fitting(calls: readonly Call<Input, Output>[]): number {
    const most = Math.min(MAX_CALLS, Math.max(MANY_CALLS, Math.ceil(calls.length / 2)));
    let bytes = 0;
    let count = 0;
    for (const { input } of calls) {
      bytes += this.#bytesOf(input);
      if (count === most || (count > 0 && bytes > MAX_BYTES)) break;
      count++;
    }
    return count;
  }

  /** Runs a batch. If it fails, its calls run one by one, so that one bad call does not fail the others. */
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
