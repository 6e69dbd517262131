/** Connections on which nobody has shown yet who calls: there is room for so many, whoever opens more. */

/** Beyond, one of them is closed. Who has a token shows it within a moment, so this is only reached by a flood. */
const MOST_STRANGERS = 1_024;

/** One end of a connection; of a TLS connection the socket below it will do as well. */
export interface Peer {
  readonly remoteAddress?: string | undefined;
  readonly remotePort?: number | undefined;
  readonly localAddress?: string | undefined;
}

/** A connection that can be cut. */
export interface Closable extends Peer {
  once(event: "close", listener: () => void): unknown;
  destroy(): unknown;
}

export class Strangers {
  readonly #most: number;
  /** By address, then by port; the connection that is open longest stands first. */
  readonly #byAddress = new Map<string, Map<number, Closable>>();
  #count = 0;

  constructor(most: number = MOST_STRANGERS) {
    this.#most = most;
  }

  get count(): number {
    return this.#count;
  }

  /** Counts a connection until it is known or closed. One too many costs the address with most of them its oldest. */
  add(connection: Closable): void {
    const { remoteAddress: address, remotePort: port } = connection;
    // It is closed already.
    if (address === undefined || port === undefined) return;
    const ofAddress = this.#byAddress.get(address) ?? new Map<number, Closable>();
    this.#byAddress.set(address, ofAddress);
    if (!ofAddress.has(port)) this.#count++;
    ofAddress.set(port, connection);
    connection.once("close", () => {
      if (ofAddress.get(port) === connection) this.know({ remoteAddress: address, remotePort: port });
    });
    if (this.#count > this.#most) this.#closeOne();
  }

  /** Somebody has shown on a connection who calls: it is not counted any more. */
  know({ remoteAddress: address, remotePort: port }: Peer): void {
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
    this.know(oldest);
    oldest.destroy();
  }
}
