/** The floods of bench/flood.ts, and what bench/flooder.ts is told of them. */

export interface Order {
  readonly kind: Kind;
  /** "http://HOST:PORT" */
  readonly rest: string;
  /** "HOST:PORT" */
  readonly grpc: string;
  /** A token that is good, to be spoiled. */
  readonly token: string;
  /** Requests, or connections, a second. */
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
