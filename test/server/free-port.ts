/** Ports for servers that cannot pick a free one themselves. */
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { createServer } from "node:net";

/** Below the range of ephemeral ports, so that a port stays free while its server is down. */
const PORTS = { from: 20_000, count: 10_000 };

/** Returns a free port that no outgoing connection and no other test gets. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = PORTS.from + Math.floor(Math.random() * PORTS.count);
    if ((await isClaimed(port)) && (await isFree(port))) return port;
  }
}

/** This process holds the UDP port until it ends, and with it reserves the TCP port of the same number. */
async function isClaimed(port: number): Promise<boolean> {
  const claim = createSocket("udp4");
  const bound = succeeds(once(claim, "listening"));
  claim.bind(port, "127.0.0.1");
  if (await bound) claim.unref();
  else claim.close();
  return bound;
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  const listening = succeeds(once(server, "listening"));
  server.listen(port, "127.0.0.1");
  const free = await listening;
  await new Promise((resolve) => server.close(resolve));
  return free;
}

function succeeds(work: Promise<unknown>): Promise<boolean> {
  return work.then(
    () => true,
    () => false,
  );
}
