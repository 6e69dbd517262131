/** Cuts connections in the middle, like a bad network. */
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server } from "node:net";

/** Passes connections on to an address; cuts each of the first ones when its client has sent so many bytes. */
export class Cutter implements AsyncDisposable {
  /** Connections that were cut. */
  cuts = 0;
  readonly #server: Server;

  private constructor(to: string, most: number, afterBytes: number) {
    const { hostname, port } = new URL(`http://${to}`);
    this.#server = createServer((client) => {
      const server = connect(Number(port), hostname);
      let bytes = 0;
      const end = () => [client, server].map((socket) => socket.destroy());
      for (const socket of [client, server]) socket.on("error", end).on("close", end);
      client.on("data", (data) => {
        bytes += data.length;
        if (bytes < afterBytes || this.cuts >= most) return;
        this.cuts++;
        end();
      });
      client.pipe(server).pipe(client);
    });
  }

  /** `to`: "HOST:PORT". Cuts `most` connections, each after `afterBytes` bytes. */
  static async open(to: string, most: number, afterBytes: number): Promise<Cutter> {
    const cutter = new Cutter(to, most, afterBytes);
    await once(cutter.#server.listen(0, "127.0.0.1"), "listening");
    return cutter;
  }

  /** "127.0.0.1:PORT" */
  get address(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
