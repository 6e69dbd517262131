/** A process that stores jobs endlessly in an embedded store, and prints the id of each acknowledged one. */
import { writeSync } from "node:fs";
import { openStore } from "../../src/store/open.ts";
import { newJob, SILENT } from "./stores.ts";

const [dataDir = ""] = process.argv.slice(2);
const store = await openStore({ dataDir }, SILENT);
const writeOn = async (): Promise<void> => {
  for (;;) {
    const job = newJob();
    await store.insertJobs("t", [job]);
    writeSync(1, `${job.id}\n`);
  }
};
await Promise.all([writeOn(), writeOn(), writeOn()]);
