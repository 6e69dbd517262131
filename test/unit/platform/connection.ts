/** A fake connection without data. */
import { EventEmitter } from "node:events";

export class Connection extends EventEmitter {
  readonly remoteAddress: string;
  readonly remotePort: number;
  destroyed = false;

  constructor(remoteAddress: string, remotePort: number) {
    super();
    this.remoteAddress = remoteAddress;
    this.remotePort = remotePort;
  }

  /** Like a socket, it emits "close" later. */
  destroy(): void {
    this.destroyed = true;
    setImmediate(() => this.emit("close"));
  }
}

export const many = (address: string, count: number): Connection[] =>
  Array.from({ length: count }, (_, port) => new Connection(address, port + 1));
