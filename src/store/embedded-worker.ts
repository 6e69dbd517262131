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
  port.on("message", (message: ToWorker) => {
    if (message === "close") {
      void close();
    } else {
      const answer = database.execProtocolRawSync(message);
      if (answer.length > 0) tell(answer);
      // It would answer nothing more, and what it has in memory is not to be trusted: the next start recovers.
      const breakdown = breakdownIn(answer);
      if (breakdown !== undefined) throw new Error(`the embedded database broke down: ${breakdown}`);
    }
  });
  tell("ready");
}

await run(workerData as Place);
