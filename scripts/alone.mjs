/**
 * Mutual exclusion among the processes of one machine.
 *
 * The lock is a listening socket. The kernel frees it however its holder ends, so there are no stale locks. Waiting
 * processes hold a connection to it; its end wakes them.
 */
import { rmSync } from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Runs work while no other process runs work of the same name; waits until then. */
export async function alone(name, work) {
  const address = addressOf(name);
  let server = await listen(address);
  while (server === undefined) {
    await untilClosed(address);
    server = await listen(address);
  }
  try {
    return await work();
  } finally {
    server.stop();
  }
}

/** The address of the lock: an abstract socket on Linux, a file elsewhere. */
function addressOf(name) {
  return process.platform === "linux" ? `\0${name}` : join(tmpdir(), `${name}.sock`);
}

/** Takes the lock. Returns undefined if another process has it. */
function listen(address) {
  return new Promise((resolve, reject) => {
    const waiting = new Set();
    let stopped = false;
    const server = createServer((socket) => {
      socket.on("error", () => socket.destroy());
      // A connection accepted while the lock is being freed would wait forever.
      if (stopped) socket.destroy();
      else waiting.add(socket);
      socket.on("close", () => waiting.delete(socket));
    });
    server.stop = () => {
      stopped = true;
      server.close();
      for (const socket of waiting) socket.destroy();
    };
    server.on("error", (error) => {
      if (error.code === "EADDRINUSE") resolve(undefined);
      else reject(new Error(`the lock cannot be taken: ${error.message}`, { cause: error }));
    });
    server.listen(address, () => resolve(server));
  });
}

function untilClosed(address) {
  return new Promise((resolve) => {
    const socket = connect(address);
    socket.on("error", (error) => {
      if (error.code === "ECONNREFUSED" && !address.startsWith("\0")) rmSync(address, { force: true });
      socket.destroy();
    });
    socket.on("close", () => resolve());
    socket.resume();
  });
}
