/**
 * One at a time, among the processes of one machine.
 *
 * The lock is a listening socket: the kernel frees it when its holder ends in
 * whatever way, so there are no stale locks, and those who wait hold a connection
 * to it, whose end wakes them.
 */
import { rmSync } from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Runs work while no other process runs work of the same name; waits for its turn. */
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

/** Linux has socket names outside the file system; elsewhere it is a file. */
function addressOf(name) {
  return process.platform === "linux" ? `\0${name}` : join(tmpdir(), `${name}.sock`);
}

/** The lock; undefined when another process has it. */
function listen(address) {
  return new Promise((resolve, reject) => {
    const waiting = new Set();
    let stopped = false;
    const server = createServer((socket) => {
      socket.on("error", () => socket.destroy());
      // One that came in while the lock was being freed would wait for ever.
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
