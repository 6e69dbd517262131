/** Ports for servers that cannot take a free one by themselves. */
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { createServer } from "node:net";

/** Below the ports that systems give to outgoing connections, so that a port stays free while its owner is dead. */
const PORTS = { from: 20_000, count: 10_000 };

/** A port of this machine that nobody has, that no outgoing connection gets, and that no test is given twice. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = PORTS.from + Math.floor(Math.random() * PORTS.count);
    if ((await isClaimed(port)) && (await isFree(port))) return port;
  }
}

/** Whoever has UDP's port of a number, which this process then has to its end, is given TCP's: before it listens, too. */
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
