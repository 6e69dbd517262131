/** The floods of bench/flood.ts, and the orders that it sends to bench/flooder.ts. */

export interface Order {
  readonly kind: Kind;
  /** "http://HOST:PORT" */
  readonly rest: string;
  /** "HOST:PORT" */
  readonly grpc: string;
  /** A valid token, to be corrupted. */
  readonly token: string;
  /** Requests or connections per second. */
  readonly rate: number;
}

export const KINDS = [
  "bad signatures",
  "unknown kids",
  "tokens of 10 KB",
  "garbage",
  "half-open calls",
  "silent connections",
] as const;
export type Kind = (typeof KINDS)[number];
