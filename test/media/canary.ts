/** Targets that media must not reach: a file that detects reads, and a port that detects connections. */
import { execFileSync } from "node:child_process";
import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { type AddressInfo, createServer, type Server } from "node:net";

const MARKER = "the canary sings";

/**
 * A FIFO that contains a marker. It is kept open for reading and writing, so that the marker stays until another reader
 * takes it.
 */
export class CanaryFile {
  readonly path: string;
  readonly #handle: FileHandle;

  private constructor(path: string, handle: FileHandle) {
    this.path = path;
    this.#handle = handle;
  }

  static async open(path: string): Promise<CanaryFile> {
    execFileSync("mkfifo", [path]);
    const handle = await open(path, constants.O_RDWR | constants.O_NONBLOCK);
    await handle.write(MARKER);
    return new CanaryFile(path, handle);
  }

  /** Whether nobody has read the file. Call it only once: it reads the file itself. */
  async untouched(): Promise<boolean> {
    const { buffer, bytesRead } = await this.#handle.read(Buffer.alloc(64), 0, 64).catch(() => ({
      buffer: Buffer.alloc(0),
      bytesRead: 0,
    }));
    return buffer.toString("utf8", 0, bytesRead) === MARKER;
  }

  async close(): Promise<void> {
    await this.#handle.close();
  }
}

/** A listening loopback port that counts connections and closes them without an answer. */
export class CanaryPort {
  readonly #server: Server;
  connections = 0;

  private constructor() {
    this.#server = createServer((socket) => {
      this.connections++;
      socket.destroy();
    });
  }

  static async open(): Promise<CanaryPort> {
    const canary = new CanaryPort();
    await new Promise<void>((resolve) => canary.#server.listen(0, "127.0.0.1", resolve));
    return canary;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
