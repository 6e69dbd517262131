/** Ports for servers that cannot take a free one by themselves. */
import { once } from "node:events";
import { createServer } from "node:net";

/** Below the ports that systems give to outgoing connections, so that a port stays free while its owner is dead. */
const PORTS = { from: 20_000, count: 10_000 };

/** A port of this machine that nobody has, and that no outgoing connection gets. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = PORTS.from + Math.floor(Math.random() * PORTS.count);
    const server = createServer();
    const listening = once(server, "listening").then(
      () => true,
      () => false,
    );
    server.listen(port, "127.0.0.1");
    const free = await listening;
    await new Promise((resolve) => server.close(resolve));
    if (free) return port;
  }
}
