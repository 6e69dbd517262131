/** A program that takes the lock of a file, prints that, and holds it until it is killed. */
import { setTimeout as pause } from "node:timers/promises";
import { withLock } from "../../src/client/session/lock.ts";

await withLock(process.argv.at(-1) ?? "", async () => {
  process.stdout.write("held\n");
  await pause(600_000);
});
