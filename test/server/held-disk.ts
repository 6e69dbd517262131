/**
 * Simulates a disk that does not respond. Preloaded into a program: once it listens to SIGTERM, each of its file system
 * threads waits for a pipe that nobody writes to.
 */
import { open } from "node:fs";

const FIFO = process.env["HELD_DISK_FIFO"] ?? "";
/** The default of libuv, if UV_THREADPOOL_SIZE is not set. */
const THREADS = 4;

process.on("newListener", function hold(event) {
  if (event !== "SIGTERM") return;
  process.off("newListener", hold);
  for (let thread = 0; thread < THREADS; thread++) open(FIFO, "r", () => {});
});
