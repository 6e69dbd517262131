/** The thread that the embedded database runs in: bytes of PostgreSQL's protocol in, bytes out. */
import { closeSync, existsSync, fsyncSync, openSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { parentPort, workerData } from "node:worker_threads";
import { PGlite } from "@electric-sql/pglite";
import { breakdownIn } from "./breakdown.ts";
import { durableOptions } from "./durable-files.ts";

/** From the thread: that it is ready, then what the database says. It ends when it is closed. */
export type FromWorker = "ready" | Uint8Array;
/** To the thread: what the client says, or that it closes. */
export type ToWorker = "close" | Uint8Array;

interface Place {
  readonly directory: string;
  /** Name of the database's folder in it. */
  readonly folder: string;
}

/**
 * Makes the database's files where there are none yet. They get their name when they are complete
 * and on disk, so that a crash leaves all of them or none.
 */
async function ensureFiles({ directory, folder }: Place): Promise<string> {
  const files = join(directory, folder);
  if (existsSync(files)) return files;
  const unfinished = `${files}.unfinished`;
  rmSync(unfinished, { recursive: true, force: true });
  const fresh = await PGlite.create(durableOptions(unfinished));
  await fresh.close();
  for (const { parentPath, name } of readdirSync(unfinished, { recursive: true, withFileTypes: true })) {
    syncPath(join(parentPath, name));
  }
  renameSync(unfinished, files);
  syncPath(directory);
  return files;
}

function syncPath(path: string): void {
  const fd = openSync(path, "r");
  fsyncSync(fd);
  closeSync(fd);
}

/** A message of the protocol is handled whole before the next. Whatever is thrown ends the thread: it is no answer. */
async function run(place: Place): Promise<void> {
  const port = parentPort;
  if (port === null) throw new Error("the embedded database runs in a worker thread only");
  const database = await PGlite.create(durableOptions(await ensureFiles(place)));
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
