/**
 * Loaded into a program before its own modules: from the moment it listens to SIGTERM, each of its
 * threads for files waits for a pipe that nobody writes to, as it would for a disk that is gone.
 */
import { open } from "node:fs";

const FIFO = process.env["HELD_DISK_FIFO"] ?? "";
/** libuv's own number, where UV_THREADPOOL_SIZE says no other. */
const THREADS = 4;

process.on("newListener", function hold(event) {
  if (event !== "SIGTERM") return;
  process.off("newListener", hold);
  for (let thread = 0; thread < THREADS; thread++) open(FIFO, "r", () => {});
});
