/** The worker thread of the embedded database: bytes of the PostgreSQL protocol in, bytes out. */
import { parentPort, workerData } from "node:worker_threads";
import { PGlite } from "@electric-sql/pglite";
import { EMPTY_DATABASE, ensureDatabase } from "./database-files.ts";
import { durableOptions } from "./durable-files.ts";
import { fatalErrorIn } from "./fatal-errors.ts";

/** From the thread: "ready", then the output of the database. The thread exits after "close". */
export type FromWorker = "ready" | Uint8Array;
/** To the thread: the client's bytes, or "close". */
export type ToWorker = "close" | Uint8Array;

/** The worker data of the thread. */
export interface Place {
  /** Folder of the database files, created if needed. */
  readonly files: string;
}

/** Handles one protocol message at a time. Any exception ends the thread: it is not a response. */
async function run({ files }: Place): Promise<void> {
  const port = parentPort;
  if (port === null) throw new Error("the embedded database runs in a worker thread only");
  await ensureDatabase(files, EMPTY_DATABASE);
  const database = await PGlite.create(durableOptions(files));
  const send = (message: FromWorker) => port.postMessage(message);
  const close = async () => {
    await database.close();
    port.close();
  };
  const answer = async (message: Uint8Array) => {
    const bytes = await answerTo(database, message);
    if (bytes.length > 0) send(bytes);
    // It would not respond again, and its memory cannot be trusted. The next start recovers the database.
    const breakdown = fatalErrorIn(bytes);
    if (breakdown !== undefined) throw new Error(`the embedded database failed: ${breakdown}`);
  };
  port.on("message", (message: ToWorker) => void (message === "close" ? close() : answer(message)));
  send("ready");
}

/**
 * Returns the bytes of the database's response. Uses its own callback, because PGlite's default one parses every
 * response and retains all parsed messages for its lifetime.
 */
async function answerTo(database: PGlite, message: Uint8Array): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  // Copied: the bytes are in the database's memory, which the next ones overwrite.
  const onRawData = (bytes: Uint8Array) => void parts.push(bytes.slice());
  await database.execProtocolRawStream(message, { syncToFs: false, onRawData });
  const [only] = parts;
  return parts.length === 1 && only !== undefined ? only : new Uint8Array(Buffer.concat(parts));
}

await run(workerData as Place);
