/** As a program: takes the lock of a file, says so, and keeps it until it is killed. */
import { setTimeout as pause } from "node:timers/promises";
import { withLock } from "../../src/client/token-lock.ts";

await withLock(process.argv.at(-1) ?? "", async () => {
  process.stdout.write("held\n");
  await pause(600_000);
});
