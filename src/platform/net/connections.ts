/** The open connections of a server: limits on unauthenticated and tenants' connections, and draining. */
import { TenantConnections } from "./tenant-connections.ts";
import { type Closable, type Peer, UnauthenticatedConnections } from "./unauthenticated-connections.ts";

/**
 * Most connections of a server. More than unauthenticated and tenants' connections together, and below the usual limit
 * of file descriptors.
 */
export const MAX_CONNECTIONS = 12_000;
/** Milliseconds that a connection without an active request may stay open while the server closes. */
const SILENT_MS = 500;
const LOOK_EVERY_MS = 20;

export class Connections {
  readonly #unauthenticated: UnauthenticatedConnections;
  readonly #authenticated: TenantConnections;
  /** By address pair (see `placeOf`). */
  readonly #sockets = new Map<string, Closable>();
  /** Active requests by address pair: over TLS, each connection has two sockets. */
  readonly #underWay = new Map<string, number>();

  /**
   * `unauthenticated`: connections that have not authenticated yet; `authenticated`: authenticated ones. Defaults: their usual
   * limits.
   */
  constructor(
    unauthenticated: UnauthenticatedConnections = new UnauthenticatedConnections(),
    authenticated: TenantConnections = new TenantConnections(),
  ) {
    this.#unauthenticated = unauthenticated;
    this.#authenticated = authenticated;
  }

  add(socket: Closable): void {
    const place = placeOf(socket);
    this.#unauthenticated.add(socket);
    this.#sockets.set(place, socket);
    socket.once("close", () => {
      // Another connection may have the same addresses by now.
      if (this.#sockets.get(place) !== socket) return;
      this.#sockets.delete(place);
      this.#authenticated.gone(place);
    });
  }

  /** Records that the active request on a connection authenticated `tenant`. */
  identify(peer: Peer, tenant: string): void {
    const place = placeOf(peer);
    if (this.#authenticated.has(place)) return;
    this.#unauthenticated.remove(peer);
    const socket = this.#sockets.get(place);
    if (socket === undefined) return;
    this.#authenticated.add(place, socket, tenant);
    if (!this.#underWay.has(place)) this.#authenticated.end(place);
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
    if (count === 0) this.#authenticated.end(place);
    else if (count === 1 && by === 1) this.#authenticated.begin(place);
  }

  #cutSilent(): void {
    for (const [place, socket] of this.#sockets) if (!this.#underWay.has(place)) socket.destroy();
  }
}

/** Identifies a connection by both ends: a client may use one port for several addresses of this server. */
function placeOf({ remoteAddress, remotePort, localAddress }: Peer): string {
  return `${remoteAddress} ${remotePort} ${localAddress}`;
}
