/** The embedded database: PostgreSQL in WebAssembly (PGlite) in a thread of its own, reached by `pg` like a server. */
import { Duplex } from "node:stream";
import { Worker } from "node:worker_threads";
import { Client } from "pg";
import type { Driver } from "./database.ts";
import { lockDirectory } from "./directory-lock.ts";
import type { FromWorker, ToWorker } from "./embedded-worker.ts";
import { SESSION_SETTINGS, TYPES } from "./session.ts";

/** Where a data directory has the files of the database. */
export const DATABASE_FOLDER = "database";

/** PGlite has been seen to hang when it starts; making its files takes 5 s, recovery after a crash less. */
const START_LIMIT_MS = 90_000;
const CLOSE_LIMIT_MS = 20_000;
/** A statement that takes longer never ends: the database is started anew. */
const SILENCE_LIMIT_MS = 120_000;

/** @param directory folder of the database, made when it is not there. Throws STORE_LOCKED. */
export function embeddedDriver(directory: string): Driver {
  const unlock = lockDirectory(directory);
  let worker: Worker | undefined;
  return {
    // One process of the database, one connection to it.
    connections: 1,
    connect: async () => {
      // One that broke must be gone before the next opens the same files.
      await worker?.terminate();
      worker = new Worker(new URL("./embedded-worker.ts", import.meta.url), {
        workerData: { directory, folder: DATABASE_FOLDER },
      });
      return connectEmbedded(worker);
    },
    close: async () => {
      await worker?.terminate();
      unlock();
    },
  };
}

async function connectEmbedded(worker: Worker): Promise<Client> {
  await started(worker);
  const client = new Client({
    stream: () => new Wire(worker),
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
  worker.once("error", reject);
  worker.once("exit", ended);
  try {
    await promise;
  } catch (error) {
    await worker.terminate();
    throw error;
  } finally {
    clearTimeout(timer);
    worker.off("error", reject);
    worker.off("exit", ended);
  }
}

/** What `pg` takes for its socket: the bytes go to the thread and come from it. */
class Wire extends Duplex {
  readonly #worker: Worker;

  constructor(worker: Worker) {
    super({ autoDestroy: true });
    this.#worker = worker;
    worker.on("message", (message: FromWorker) => {
      if (typeof message !== "string") this.push(message);
    });
    worker.on("error", (error) => this.destroy(error));
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
    void this.#terminate(() => done(error));
  }

  async #terminate(done: () => void): Promise<void> {
    await this.#worker.terminate();
    done();
  }

  #send(message: ToWorker): void {
    // A buffer of Node.js may be a part of a larger one; the thread gets a copy of its own.
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
    this.#worker.postMessage(typeof message === "string" ? message : new Uint8Array(message));
  }
}
