/** The open connections of a server: how many may be strangers' or one tenant's, and which hold nobody up when it closes. */
import { Known } from "./known.ts";
import { type Closable, type Peer, Strangers } from "./strangers.ts";

/** Connections that a server may have at a time: more than strangers and known ones together, and within the usual limits of descriptors. */
export const MOST_CONNECTIONS = 12_000;
/** Milliseconds that a connection without a request under way may take to send one to a server that closes. */
const SILENT_MS = 500;
const LOOK_EVERY_MS = 20;

export class Connections {
  readonly #strangers: Strangers;
  readonly #known: Known;
  /** By their places. */
  readonly #sockets = new Map<string, Closable>();
  /** Requests under way, by the addresses of their connections: over TLS there are two sockets of each. */
  readonly #underWay = new Map<string, number>();

  /** `strangers`: those on which nobody has shown yet who calls; `known`: the others. Default: as many as those hold. */
  constructor(strangers: Strangers = new Strangers(), known: Known = new Known()) {
    this.#strangers = strangers;
    this.#known = known;
  }

  add(socket: Closable): void {
    const place = placeOf(socket);
    this.#strangers.add(socket);
    this.#sockets.set(place, socket);
    socket.once("close", () => {
      // The place may be another one's by now.
      if (this.#sockets.get(place) !== socket) return;
      this.#sockets.delete(place);
      this.#known.gone(place);
    });
  }

  /** Somebody has shown, by the request that is under way on a connection, which tenant calls. */
  know(peer: Peer, tenant: string): void {
    const place = placeOf(peer);
    if (this.#known.has(place)) return;
    this.#strangers.know(peer);
    const socket = this.#sockets.get(place);
    if (socket === undefined) return;
    this.#known.add(place, socket, tenant);
    if (!this.#underWay.has(place)) this.#known.end(place);
  }

  /** A request begins on a connection; returns what to call at its end. */
  begin(peer: Peer): () => void {
    const place = placeOf(peer);
    this.#count(place, 1);
    return () => this.#count(place, -1);
  }

  /** Waits until all are `closed`; cuts those that have no request under way, and every 20 ms calls `look` first. */
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

  /** Cuts all that are left. */
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

/** Of both ends: a client may use a port of its own for several of our addresses. */
function placeOf({ remoteAddress, remotePort, localAddress }: Peer): string {
  return `${remoteAddress} ${remotePort} ${localAddress}`;
}
