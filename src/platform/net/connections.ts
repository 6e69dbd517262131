/** The open connections of a server: limits on unauthenticated and tenants' connections, and draining. */
import { Known } from "./tenant-connections.ts";
import { type Closable, type Peer, Strangers } from "./unauthenticated-connections.ts";

/**
 * Most connections of a server. More than unauthenticated and tenants' connections together, and below the usual limit
 * of file descriptors.
 */
export const MOST_CONNECTIONS = 12_000;
/** How long a connection without an active request may stay open while the server closes, in milliseconds. */
const SILENT_MS = 500;
const LOOK_EVERY_MS = 20;

export class Connections {
  readonly #strangers: Strangers;
  readonly #known: Known;
  /** By address pair (see `placeOf`). */
  readonly #sockets = new Map<string, Closable>();
  /** Active requests by address pair: over TLS, each connection has two sockets. */
  readonly #underWay = new Map<string, number>();

  /**
   * `strangers`: connections that have not authenticated yet; `known`: authenticated ones. Defaults: their usual
   * limits.
   */
  constructor(strangers: Strangers = new Strangers(), known: Known = new Known()) {
    this.#strangers = strangers;
    this.#known = known;
  }

  add(socket: Closable): void {
    const place = placeOf(socket);
    this.#strangers.add(socket);
    this.#sockets.set(place, socket);
    socket.once("close", () => {
      // Another connection may have the same addresses by now.
      if (this.#sockets.get(place) !== socket) return;
      this.#sockets.delete(place);
      this.#known.gone(place);
    });
  }

  /** Records that the active request on a connection authenticated `tenant`. */
  know(peer: Peer, tenant: string): void {
    const place = placeOf(peer);
    if (this.#known.has(place)) return;
    this.#strangers.know(peer);
    const socket = this.#sockets.get(place);
    if (socket === undefined) return;
    this.#known.add(place, socket, tenant);
    if (!this.#underWay.has(place)) this.#known.end(place);
  }

  /** Records that a request began on a connection. Call the returned function when it ends. */
  begin(peer: Peer): () => void {
    const place = placeOf(peer);
    this.#count(place, 1);
    return () => this.#count(place, -1);
  }

  /** Waits for `closed`. Every 20 ms calls `look`; after 500 ms also closes connections without an active request. */
  async drain(closed: Promise<unknown>, look: () => void = () => {}): Promise<void> {
    const began = performance.now();
    const timer = setInterval(() => {
      look();
      if (performance.now() - began > SILENT_MS) this.#cutSilent();
    }, LOOK_EVERY_MS);
    try {
      await closed;
    } finally {
      clearInterval(timer);
    }
  }

  /** Closes all remaining connections. */
  cut(): void {
    for (const socket of this.#sockets.values()) socket.destroy();
  }

  #count(place: string, by: 1 | -1): void {
    const count = (this.#underWay.get(place) ?? 0) + by;
    if (count > 0) this.#underWay.set(place, count);
    else this.#underWay.delete(place);
    if (count === 0) this.#known.end(place);
    else if (count === 1 && by === 1) this.#known.begin(place);
  }

  #cutSilent(): void {
    for (const [place, socket] of this.#sockets) if (!this.#underWay.has(place)) socket.destroy();
  }
}

/** Identifies a connection by both ends: a client may use one port for several addresses of this server. */
function placeOf({ remoteAddress, remotePort, localAddress }: Peer): string {
  return `${remoteAddress} ${remotePort} ${localAddress}`;
}
