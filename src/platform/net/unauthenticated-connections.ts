/** Limits the number of connections that have not authenticated yet. */

/**
 * Limit of unauthenticated connections; beyond it, one is closed. A caller with a token authenticates within
 * a moment, so only a flood reaches it.
 */
const MAX_UNAUTHENTICATED = 1_024;

/** One end of a connection. For TLS, the underlying socket works too. */
export interface Peer {
  readonly remoteAddress?: string | undefined;
  readonly remotePort?: number | undefined;
  readonly localAddress?: string | undefined;
}

/** A connection that can be closed. */
export interface Closable extends Peer {
  once(event: "close", listener: () => void): unknown;
  destroy(): unknown;
}

export class UnauthenticatedConnections {
  readonly #most: number;
  /** By address, then by port, oldest connection first. */
  readonly #byAddress = new Map<string, Map<number, Closable>>();
  #count = 0;

  constructor(most: number = MAX_UNAUTHENTICATED) {
    this.#most = most;
  }

  get count(): number {
    return this.#count;
  }

  /**
   * Adds a connection until it authenticates or closes. Beyond the limit, the address with the most loses its oldest.
   */
  add(connection: Closable): void {
    const { remoteAddress: address, remotePort: port } = connection;
    // The socket is closed already.
    if (address === undefined || port === undefined) return;
    const ofAddress = this.#byAddress.get(address) ?? new Map<number, Closable>();
    this.#byAddress.set(address, ofAddress);
    if (!ofAddress.has(port)) this.#count++;
    ofAddress.set(port, connection);
    connection.once("close", () => {
      if (ofAddress.get(port) === connection) this.remove({ remoteAddress: address, remotePort: port });
    });
    if (this.#count > this.#most) this.#closeOne();
  }

  /** Removes a connection that authenticated. */
  remove({ remoteAddress: address, remotePort: port }: Peer): void {
    if (address === undefined || port === undefined) return;
    const ofAddress = this.#byAddress.get(address);
    if (ofAddress?.delete(port) !== true) return;
    this.#count--;
    if (ofAddress.size === 0) this.#byAddress.delete(address);
  }

  #closeOne(): void {
    let most = new Map<number, Closable>();
    for (const ofAddress of this.#byAddress.values()) if (ofAddress.size > most.size) most = ofAddress;
    const [oldest] = most.values();
    if (oldest === undefined) return;
    this.remove(oldest);
    oldest.destroy();
  }
}
