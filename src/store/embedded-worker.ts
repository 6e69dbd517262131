/** The thread that the embedded database runs in: bytes of PostgreSQL's protocol in, bytes out. */
import { parentPort, workerData } from "node:worker_threads";
import { PGlite } from "@electric-sql/pglite";
import { breakdownIn } from "./breakdown.ts";
import { ensureDatabase } from "./database-files.ts";
import { durableOptions } from "./durable-files.ts";

/** From the thread: that it is ready, then what the database says. It ends when it is closed. */
export type FromWorker = "ready" | Uint8Array;
/** To the thread: what the client says, or that it closes. */
export type ToWorker = "close" | Uint8Array;

/** What the thread is started with. */
export interface Place {
  /** Folder of the database's files, made when it is not there. */
  readonly files: string;
  /** Folder of an empty database, to copy. */
  readonly empty: string;
}

/** A message of the protocol is handled whole before the next. Whatever is thrown ends the thread: it is no answer. */
async function run({ files, empty }: Place): Promise<void> {
  const port = parentPort;
  if (port === null) throw new Error("the embedded database runs in a worker thread only");
  await ensureDatabase(files, empty);
  const database = await PGlite.create(durableOptions(files));
  const tell = (message: FromWorker) => port.postMessage(message);
  const close = async () => {
    await database.close();
    port.close();
  };
  const answer = async (message: Uint8Array) => {
    const bytes = await answerTo(database, message);
    if (bytes.length > 0) tell(bytes);
    // It would answer nothing more, and what it has in memory is not to be trusted: the next start recovers.
    const breakdown = breakdownIn(bytes);
    if (breakdown !== undefined) throw new Error(`the embedded database broke down: ${breakdown}`);
  };
  port.on("message", (message: ToWorker) => void (message === "close" ? close() : answer(message)));
  tell("ready");
}

/**
 * The bytes that the database sends. With a callback of ours: PGlite's own parses every answer, and keeps all that it
 * parsed for as long as it lives.
 */
async function answerTo(database: PGlite, message: Uint8Array): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  // The bytes lie in the database's memory, which the next ones are written to.
  const onRawData = (bytes: Uint8Array) => void parts.push(bytes.slice());
  await database.execProtocolRawStream(message, { syncToFs: false, onRawData });
  const [only] = parts;
  return parts.length === 1 && only !== undefined ? only : new Uint8Array(Buffer.concat(parts));
}

await run(workerData as Place);
