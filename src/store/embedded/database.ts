/** The embedded database: PostgreSQL in WebAssembly (PGlite) in its own thread, used through `pg` like a server. */
import { statfs } from "node:fs/promises";
import { join } from "node:path";
import { Duplex } from "node:stream";
import { Worker } from "node:worker_threads";
import { Client } from "pg";
import { errorCode } from "../../platform/errors.ts";
import type { Log } from "../../platform/observability/log.ts";
import type { Driver } from "../connection/database.ts";
import { SESSION_SETTINGS, TYPES } from "../connection/settings.ts";
import { lockDirectory } from "./directory-lock.ts";
import type { FromWorker, Place, ToWorker } from "./worker.ts";

/** Folder of the database files in a data directory. */
export const DATABASE_FOLDER = "database";

/** PGlite can hang on start. Creating its files takes 5 s, crash recovery less. */
const START_LIMIT_MS = 90_000;
const CLOSE_LIMIT_MS = 20_000;
/** A statement that takes longer has hung: the database is restarted. */
const SILENCE_LIMIT_MS = 120_000;
/** Interval of disk checks in milliseconds while a response is outstanding. */
const LOOK_AFTER_MS = 3_000;
/** Size of one WAL file. PGlite loops forever if it cannot create the next one during a change. */
const LOG_FILE_BYTES = 16 * 2 ** 20;

/**
 * Heap limits of the thread in megabytes. It normally uses 15 to 30 MB; more is a memory leak, and the thread is
 * restarted before the machine runs out of memory. The database's own memory is WebAssembly's and does not count.
 */
const HEAP_LIMIT = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 16 };
const OUT_OF_MEMORY = "ERR_WORKER_OUT_OF_MEMORY";

/**
 * Returns the driver of the embedded database in a directory. Throws STORE_LOCKED.
 * @param directory directory of the database, created if needed
 * @param log for thread failures; without it only the running statement fails
 */
export function embeddedDriver(directory: string, log?: Log): Driver {
  const unlock = lockDirectory(directory);
  let worker: Worker | undefined;
  return {
    // The database is one process with one connection.
    connections: 1,
    connect: async () => {
      // A failed thread must have exited before the next one opens the same files.
      await worker?.terminate();
      const place: Place = { files: join(directory, DATABASE_FOLDER) };
      const options = { workerData: place, resourceLimits: HEAP_LIMIT };
      worker = new Worker(new URL("./worker.ts", import.meta.url), options);
      worker.on("error", (thrown) => {
        log?.error({ err: faultOf(thrown) }, "embedded database failed; the next statement restarts it");
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

/** Returns the error that ended the thread, with a message for operators. */
function faultOf(thrown: unknown): Error {
  if (errorCode(thrown) !== OUT_OF_MEMORY)
    return thrown instanceof Error ? thrown : new Error(String(thrown));
  const { maxOldGenerationSizeMb } = HEAP_LIMIT;
  return new Error(
    `the thread of the embedded database reached its heap limit of ${maxOldGenerationSizeMb} MB`,
    {
      cause: thrown,
    },
  );
}

/** Returns an error if the disk has no space for a WAL file; undefined if it has, or if it cannot be checked. */
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
  // The failing statement reports the error; without a listener the event would end the process.
  client.on("error", () => {});
  await client.connect();
  await client.query(SESSION_SETTINGS);
  return client;
}

async function started(worker: Worker): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const late = new Error(`the embedded database did not start within ${START_LIMIT_MS / 1000} s`);
  const timer = setTimeout(reject, START_LIMIT_MS, late);
  const ended = () => reject(new Error("the embedded database exited during its start"));
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

/** The socket of `pg`: sends bytes to the thread and receives bytes from it. */
class Wire extends Duplex {
  readonly #worker: Worker;
  readonly #directory: string;
  /** Runs while a response is outstanding. */
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

  /** The client's last message terminates the connection: the database is shut down cleanly. */
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

  /** Stops a database that does not respond while the disk is full. The next start recovers it once there is space. */
  async #lookAtDisk(): Promise<void> {
    const full = await fullDisk(this.#directory);
    if (full !== undefined && this.#silence !== undefined) this.destroy(full);
  }

  #send(message: ToWorker): void {
    this.#silence ??= setInterval(() => void this.#lookAtDisk(), LOOK_AFTER_MS);
    // A Node.js buffer may be a view of a larger one; the thread gets its own copy.
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
    this.#worker.postMessage(typeof message === "string" ? message : new Uint8Array(message));
  }
}
