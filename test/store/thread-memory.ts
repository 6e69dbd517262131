/** A process with an embedded store that reports the memory use of its database thread in JSON lines. */
import { once } from "node:events";
import { Failure } from "../../src/platform/failure.ts";
import { openLog } from "../../src/platform/observability/log.ts";
import { Database } from "../../src/store/connection/database.ts";
import { statement } from "../../src/store/connection/statement.ts";
import { embeddedDriver } from "../../src/store/embedded/database.ts";
import { openStore } from "../../src/store/open.ts";
import { newJob } from "./stores.ts";
import { type Answer, openChannel, send } from "./thread-watcher.ts";

/** Output of the process. */
export type Line =
  | { readonly is: "heap"; readonly bytes: number }
  | { readonly is: "stored"; readonly id: string }
  | { readonly is: "refused"; readonly code: string; readonly message: string }
  | { readonly is: "found"; readonly ids: readonly string[] };

const say = (line: Line) => process.stdout.write(`${JSON.stringify(line)}\n`);
const channel = openChannel();

const [what, dataDir = ""] = process.argv.slice(2);
if (what === "read") await readMuch();
else await outgrow();
channel.close();

/** Reads 200 MB and reports the heap size before and after. */
async function readMuch(): Promise<void> {
  const database = new Database(embeddedDriver(dataDir));
  const read = async () => {
    await database.query(
      "owner",
      statement("select repeat('x', 10000) as a from generate_series(1, 100)"),
      [],
    );
  };
  await read();
  await sayHeap();
  for (let n = 0; n < 200; n++) await read();
  await sayHeap();
  await database.close();
}

async function sayHeap(): Promise<void> {
  const answered = once(channel, "message");
  send(channel, "heap");
  const [{ data }] = (await answered) as [{ data: Answer }];
  say({ is: "heap", bytes: data.heap });
}

/** Stores jobs while the thread's heap is filled until one fails, then continues. */
async function outgrow(): Promise<void> {
  const store = await openStore({ dataDir }, openLog({ level: "error", format: "json" }));
  const storeOne = async () => {
    const job = newJob();
    await store.insertJobs("t", [job]);
    say({ is: "stored", id: job.id });
  };
  await storeOne();
  send(channel, "hog");
  let failure: Failure | undefined;
  while (failure === undefined)
    failure = await storeOne().then(
      () => undefined,
      (thrown: unknown) => Failure.from(thrown),
    );
  say({ is: "refused", code: failure.code, message: failure.message });
  await storeOne();
  const jobs = await store.listJobs("t", {}, undefined, 1_000);
  say({ is: "found", ids: jobs.map(({ id }) => id) });
  await store.close();
}
