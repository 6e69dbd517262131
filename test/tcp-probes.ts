/** When TCP will probe the peers of connections that are open on this machine. */
import { readFile } from "node:fs/promises";

/** As /proc/net/tcp has it: a timer's kind, and the ticks of it, of which a second has 100. */
const KEEPALIVE_TIMER = "02";
const TICKS = 100;

/** Seconds until the next probe, of each connection between two ports over IPv4 that is silent and probed. */
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
