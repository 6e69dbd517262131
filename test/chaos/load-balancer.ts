/**
 * What a Kubernetes Service is for its clients: one address that connects each new connection to a random endpoint. An
 * open connection stays with its endpoint, also if that stops. A connection to an endpoint that does not listen
 * fails and is not retried elsewhere.
 */
import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";

const PORTS = ["rest", "grpc"] as const;
type Port = (typeof PORTS)[number];
export type Endpoint = Readonly<Record<Port, number>>;

export class LoadBalancer implements AsyncDisposable {
  readonly #endpoints = new Set<Endpoint>();
  readonly #servers = new Map<Port, Server>();
  readonly #sockets = new Set<Socket>();

  static async open(): Promise<LoadBalancer> {
    const balancer = new LoadBalancer();
    for (const port of PORTS) {
      const server = createServer((socket) => balancer.#forward(socket, port));
      server.listen(0, "127.0.0.1");
      await once(server, "listening");
      balancer.#servers.set(port, server);
    }
    return balancer;
  }

  add(endpoint: Endpoint): void {
    this.#endpoints.add(endpoint);
  }

  remove(endpoint: Endpoint): void {
    this.#endpoints.delete(endpoint);
  }

  /** "127.0.0.1:PORT" */
  address(of: Port): string {
    const address = this.#servers.get(of)?.address();
    if (typeof address !== "object" || address === null) throw new Error("the load balancer does not listen");
    return `127.0.0.1:${address.port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = [...this.#servers.values()].map((server) => once(server.close(), "close"));
    for (const socket of this.#sockets) socket.destroy();
    await Promise.all(closed);
  }

  #forward(client: Socket, port: Port): void {
    const endpoints = [...this.#endpoints];
    const chosen = endpoints[Math.floor(Math.random() * endpoints.length)];
    if (chosen === undefined) {
      client.destroy();
      return;
    }
    const server = connect(chosen[port], "127.0.0.1");
    this.#tie(client, server);
    this.#tie(server, client);
    client.pipe(server);
    server.pipe(client);
  }

  /** An error on one side closes the other, as if the two were connected directly. */
  #tie(socket: Socket, other: Socket): void {
    socket.setNoDelay(true);
    this.#sockets.add(socket);
    socket.once("error", () => other.destroy());
    socket.once("close", () => {
      this.#sockets.delete(socket);
      other.end();
    });
  }
}
