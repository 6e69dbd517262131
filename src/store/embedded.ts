/** The embedded database: PostgreSQL in WebAssembly (PGlite) in a thread of its own, reached by `pg` like a server. */
import { statfs } from "node:fs/promises";
import { join } from "node:path";
import { Duplex } from "node:stream";
import { Worker } from "node:worker_threads";
import { Client } from "pg";
import type { Log } from "../platform/log.ts";
import { errorCode } from "../platform/thrown.ts";
import { SESSION_SETTINGS, TYPES } from "./connection-settings.ts";
import type { Driver } from "./database.ts";
import { EMPTY_DATABASE } from "./database-files.ts";
import { lockDirectory } from "./directory-lock.ts";
import type { FromWorker, Place, ToWorker } from "./embedded-worker.ts";

/** Where a data directory has the files of the database. */
export const DATABASE_FOLDER = "database";

/** PGlite has been seen to hang when it starts; making its files takes 5 s, recovery after a crash less. */
const START_LIMIT_MS = 90_000;
const CLOSE_LIMIT_MS = 20_000;
/** A statement that takes longer never ends: the database is started anew. */
const SILENCE_LIMIT_MS = 120_000;
/** Milliseconds of silence after which the disk is looked at, again and again. */
const LOOK_AFTER_MS = 3_000;
/** One file of the log of changes. PGlite computes for ever when it can make no further one in the midst of a change. */
const LOG_FILE_BYTES = 16 * 2 ** 20;

/**
 * Megabytes of JavaScript objects in the thread, which has 15 to 30 of them: one that has more loses memory, and is ended
 * and started anew before the machine has none left. The database's own memory is WebAssembly's, and lies outside.
 */
const HEAP_LIMIT = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 16 };
const OUT_OF_MEMORY = "ERR_WORKER_OUT_OF_MEMORY";

export interface EmbeddedOptions {
  /** Folder of an empty database to copy; one that is not there costs seconds. */
  readonly empty?: string;
  /** Hears of a thread that failed; default: nobody does but the statement under way. */
  readonly log?: Log;
}

/**
 * Throws STORE_LOCKED.
 * @param directory folder that holds the database, or will hold it
 */
export function embeddedDriver(
  directory: string,
  { empty = EMPTY_DATABASE, log }: EmbeddedOptions = {},
): Driver {
  const unlock = lockDirectory(directory);
  let worker: Worker | undefined;
  return {
    // One process of the database, one connection to it.
    connections: 1,
    connect: async () => {
      // One that broke must be gone before the next opens the same files.
      await worker?.terminate();
      const place: Place = { files: join(directory, DATABASE_FOLDER), empty };
      const options = { workerData: place, resourceLimits: HEAP_LIMIT };
      worker = new Worker(new URL("./embedded-worker.ts", import.meta.url), options);
      worker.on("error", (thrown) => {
        log?.error(
          { err: faultOf(thrown) },
          "the embedded database failed; the next statement starts it again",
        );
      });
      try {
        return await connectEmbedded(worker, directory);
      } catch (error) {
        throw (await fullDisk(directory)) ?? error;
      }
    },
    close: async () => {
      await worker?.terminate();
      unlock();
    },
  };
}

/** What ended the thread, in words for an operator. */
function faultOf(thrown: unknown): Error {
  if (errorCode(thrown) !== OUT_OF_MEMORY)
    return thrown instanceof Error ? thrown : new Error(String(thrown));
  const { maxOldGenerationSizeMb } = HEAP_LIMIT;
  return new Error(
    `the thread of the embedded database reached its limit of ${maxOldGenerationSizeMb} MB of objects`,
    {
      cause: thrown,
    },
  );
}

/** What is to be told when the disk has no room for the log of changes; undefined: it has, or cannot be asked. */
async function fullDisk(directory: string): Promise<Error | undefined> {
  const found = await statfs(directory).catch(() => undefined);
  if (found === undefined || found.bavail * found.bsize >= LOG_FILE_BYTES) return undefined;
  const left = Math.floor((found.bavail * found.bsize) / 2 ** 20);
  return new Error(`No space left on device: ${left} MB are free on the disk of the embedded database`);
}

async function connectEmbedded(worker: Worker, directory: string): Promise<Client> {
  await started(worker);
  const client = new Client({
    stream: () => new Wire(worker, directory),
    user: "postgres",
    database: "postgres",
    query_timeout: SILENCE_LIMIT_MS,
    types: TYPES,
  });
  // Heard by the statement that fails; unheard, an error would end the process.
  client.on("error", () => {});
  await client.connect();
  await client.query(SESSION_SETTINGS);
  return client;
}

async function started(worker: Worker): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const late = new Error(`the embedded database did not start within ${START_LIMIT_MS / 1000} s`);
  const timer = setTimeout(reject, START_LIMIT_MS, late);
  const ended = () => reject(new Error("the embedded database ended as it started"));
  worker.once("message", resolve);
  const failed = (thrown: unknown) => reject(faultOf(thrown));
  worker.once("error", failed);
  worker.once("exit", ended);
  try {
    await promise;
  } catch (error) {
    await worker.terminate();
    throw error;
  } finally {
    clearTimeout(timer);
    worker.off("error", failed);
    worker.off("exit", ended);
  }
}

/** What `pg` takes for its socket: the bytes go to the thread and come from it. */
class Wire extends Duplex {
  readonly #worker: Worker;
  readonly #directory: string;
  /** Runs while an answer is waited for. */
  #silence: NodeJS.Timeout | undefined;

  constructor(worker: Worker, directory: string) {
    super({ autoDestroy: true });
    this.#worker = worker;
    this.#directory = directory;
    worker.on("message", (message: FromWorker) => {
      clearInterval(this.#silence);
      this.#silence = undefined;
      if (typeof message !== "string") this.push(message);
    });
    worker.on("error", (thrown) => this.destroy(faultOf(thrown)));
    worker.on("exit", () => this.destroy());
  }

  connect(): this {
    process.nextTick(() => this.emit("connect"));
    return this;
  }

  setNoDelay(): this {
    return this;
  }

  setKeepAlive(): this {
    return this;
  }

  override _read(): void {}

  override _write(chunk: Uint8Array, _: unknown, done: () => void): void {
    this.#send(chunk);
    done();
  }

  override _writev(chunks: { chunk: Uint8Array }[], done: () => void): void {
    this.#send(Buffer.concat(chunks.map(({ chunk }) => chunk)));
    done();
  }

  /** The last message of a client is a good-bye: the database is closed in order. */
  override _final(done: () => void): void {
    const timer = setTimeout(() => void this.#worker.terminate(), CLOSE_LIMIT_MS);
    this.#worker.once("exit", () => {
      clearTimeout(timer);
      this.push(null);
      done();
    });
    this.#send("close");
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    clearInterval(this.#silence);
    void this.#terminate(() => done(error));
  }

  async #terminate(done: () => void): Promise<void> {
    await this.#worker.terminate();
    done();
  }

  /** A database that is silent while its disk is full is ended: its next start recovers, when there is room. */
  async #lookAtDisk(): Promise<void> {
    const full = await fullDisk(this.#directory);
    if (full !== undefined && this.#silence !== undefined) this.destroy(full);
  }

  #send(message: ToWorker): void {
    this.#silence ??= setInterval(() => void this.#lookAtDisk(), LOOK_AFTER_MS);
    // A buffer of Node.js may be a part of a larger one; the thread gets a copy of its own.
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
    this.#worker.postMessage(typeof message === "string" ? message : new Uint8Array(message));
  }
}
