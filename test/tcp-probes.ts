/** Reads when TCP keepalive will probe the peers of this machine's open connections. */
import { readFile } from "node:fs/promises";

/** Values of /proc/net/tcp: the kind of a timer, and its ticks per second. */
const KEEPALIVE_TIMER = "02";
const TICKS = 100;

/**
 * Returns the seconds until the next probe of each idle IPv4 connection between these ports that has keepalive enabled.
 */
export async function probesDue(ports: {
  readonly local?: number;
  readonly remote?: number;
}): Promise<number[]> {
  const table = await readFile("/proc/net/tcp", "utf8");
  return table.split("\n").flatMap((line) => {
    const [, local, remote, , , timer = ""] = line.trim().split(/\s+/);
    const [kind, ticks = ""] = timer.split(":");
    const isMeant = isAt(local, ports.local) && isAt(remote, ports.remote);
    return isMeant && kind === KEEPALIVE_TIMER ? [Number.parseInt(ticks, 16) / TICKS] : [];
  });
}

function isAt(place: string | undefined, port: number | undefined): boolean {
  return port === undefined || Number.parseInt(place?.split(":")[1] ?? "", 16) === port;
}
