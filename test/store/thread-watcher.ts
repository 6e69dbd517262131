/**
 * Loaded (--import) into a process with an embedded store. In the database thread, it answers requests of the process
 * over a BroadcastChannel, and can fill the thread's heap.
 */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { BroadcastChannel, isMainThread } from "node:worker_threads";

type Question = "heap" | "hog";
/** Heap bytes in use after a garbage collection. */
export interface Answer {
  readonly heap: number;
}

/** Megabytes: more than the thread's heap limit, and little enough for any machine. */
const HOG_MB = 1_024;
const STRING_BYTES = 1_024;

if (!isMainThread) {
  const channel = openChannel();
  const held: string[][] = [];
  channel.addEventListener("message", (event) => {
    const { data } = event as Event & { readonly data: Question };
    if (data === "heap") send(channel, { heap: heapUsed() });
    if (data === "hog") for (let mb = 0; mb < HOG_MB; mb++) held.push(megabyte(mb));
  });
  // Listening here must not keep the thread alive.
  channel.unref();
}

export function openChannel(): BroadcastChannel {
  return new BroadcastChannel("svc-test-thread");
}

export function send(channel: BroadcastChannel, message: Question | Answer): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  channel.postMessage(message);
}

function megabyte(seed: number): string[] {
  return Array.from({ length: (1024 * 1024) / STRING_BYTES }, (_, n) =>
    Buffer.alloc(STRING_BYTES, `${seed} ${n} `).toString("latin1"),
  );
}

function heapUsed(): number {
  setFlagsFromString("--expose-gc");
  runInNewContext("gc")();
  return process.memoryUsage().heapUsed;
}
