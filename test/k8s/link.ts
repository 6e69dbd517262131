/** A proxy to a server whose connections can break like a network: reset, or silently dead. */
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";

interface Pair {
  readonly near: Socket;
  readonly far: Socket;
}

export class Link implements AsyncDisposable {
  readonly #server: Server;
  readonly #port: number;
  readonly #pairs = new Set<Pair>();
  #isCut = false;

  /** `port`: of the server, on loopback. */
  private constructor(port: number) {
    this.#port = port;
    this.#server = createServer((near) => this.#join(near));
  }

  static async open(port: number): Promise<Link> {
    const link = new Link(port);
    link.#server.listen(0, "127.0.0.1");
    await once(link.#server, "listening");
    return link;
  }

  /** "https://127.0.0.1:PORT" */
  get url(): string {
    return `https://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Closes all connections and every new one, until `mend`. */
  cut(): void {
    this.#isCut = true;
    for (const { near, far } of this.#pairs) {
      near.destroy();
      far.destroy();
    }
  }

  mend(): void {
    this.#isCut = false;
  }

  /** Existing connections silently stop carrying data; new ones work. */
  stall(): void {
    for (const { near, far } of this.#pairs) {
      near.unpipe(far).pause();
      far.unpipe(near).pause();
    }
  }

  #join(near: Socket): void {
    near.on("error", () => {});
    if (this.#isCut) {
      near.destroy();
      return;
    }
    const far = connect(this.#port, "127.0.0.1");
    const pair = { near, far };
    this.#pairs.add(pair);
    far.on("error", () => near.destroy());
    near.on("close", () => far.destroy());
    far.on("close", () => {
      near.destroy();
      this.#pairs.delete(pair);
    });
    near.pipe(far).pipe(near);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.cut();
    this.#server.close();
    await once(this.#server, "close");
  }
}
