/** Reads stills, clips and per-frame scores from the results storage, and verifies their bytes. */
import { createHash } from "node:crypto";
import { ObjectFault, type ObjectTrouble } from "../../media/objects/object.ts";
import type { ResultObjects } from "../../media/results/objects.ts";
import { Failure } from "../../platform/failure.ts";
import { DIGEST_BYTES, OBJECT_PART_BYTES, type ResultObject } from "../../store/contract/result-store.ts";
import type { ResultMetrics } from "./metrics.ts";

/** Faults that another attempt would not resolve. */
const LOST: readonly ObjectTrouble[] = ["MISSING", "CHANGED", "EMPTY"];

export class ResultReader {
  readonly #objects: ResultObjects | undefined;
  readonly #metrics: ResultMetrics;

  /** Without `objects`, this controller has no results storage. */
  constructor(objects: ResultObjects | undefined, metrics: ResultMetrics) {
    this.#objects = objects;
    this.#metrics = metrics;
  }

  /** Returns the bytes of an object. `what` names it in messages. Throws RESULT_DAMAGED, STORAGE_UNAVAILABLE. */
  async read(object: ResultObject, what: string): Promise<Buffer> {
    const parts: Buffer[] = [];
    for (let number = 0; number * OBJECT_PART_BYTES < object.bytes; number++)
      parts.push(await this.part(object, number, what));
    return Buffer.concat(parts);
  }

  /** Returns a part of an object; parts are numbered from 0. Throws RESULT_DAMAGED, STORAGE_UNAVAILABLE. */
  async part(object: ResultObject, number: number, what: string): Promise<Buffer> {
    const { key, bytes, digests } = object;
    const first = number * OBJECT_PART_BYTES;
    const range = { first, last: Math.min(first + OBJECT_PART_BYTES, bytes) - 1 };
    const part = await this.#get(key, range, bytes, what);
    const digest = createHash("sha256").update(part).digest();
    if (digest.equals(digests.subarray(number * DIGEST_BYTES, (number + 1) * DIGEST_BYTES))) return part;
    this.#metrics.damaged.inc();
    throw damaged(what, "it has other bytes than were stored");
  }

  async #get(
    key: string,
    range: { readonly first: number; readonly last: number },
    bytes: number,
    what: string,
  ): Promise<Buffer> {
    if (this.#objects === undefined) throw withoutStorage(what);
    try {
      const part = await this.#objects.get(key, range, bytes);
      this.#metrics.answered();
      return part;
    } catch (error) {
      if (error instanceof ObjectFault && LOST.includes(error.trouble)) {
        this.#metrics.damaged.inc();
        throw damaged(what, error.message, error);
      }
      this.#metrics.failed("get");
      throw unavailable(error, what);
    }
  }
}

function damaged(what: string, why: string, cause?: unknown): Failure {
  return new Failure(
    "RESULT_DAMAGED",
    `The ${what} cannot be read from the results storage: ${why}. Delete the still, the clip or the job of the scores and request it again, or ask the operator to restore the storage.`,
    { cause },
  );
}

function withoutStorage(what: string): Failure {
  return new Failure(
    "STORAGE_UNAVAILABLE",
    `The ${what} is in the results storage, and this controller has none. Ask its operator for --results-storage.`,
  );
}

function unavailable(error: unknown, what: string): unknown {
  if (!(error instanceof ObjectFault)) return error;
  return new Failure(
    "STORAGE_UNAVAILABLE",
    `The ${what} cannot be read from the results storage now: ${error.message}. Try again later; if the error remains, ask the operator of svc.`,
    { cause: error },
  );
}
