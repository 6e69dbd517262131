/** An object in a storage: how to access it, and its version. */
import type { Reach } from "../net/fetch.ts";

export interface ObjectAccess {
  /** The URL. If the storage requires a signature, it is signed and therefore a secret. */
  readonly url: string;
  readonly reach: Reach;
  /** Whether its host may have a loopback or private address. */
  readonly privateNetwork: boolean;
}

/** Identifies the content of an object. At least one of `etag` and `modifiedMs` is known. */
export interface ObjectVersion {
  /** With its quotes, as the storage writes it; empty: it gives none. */
  readonly etag: string;
  /** In bytes. */
  readonly size: number;
  /** Time of the last change in milliseconds since 1970, in whole seconds; undefined: unknown. */
  readonly modifiedMs: number | undefined;
}

/**
 * Why an object cannot be read.
 * MISSING: it does not exist. DENIED: the storage refuses access. CHANGED: it is not the expected version. EMPTY: it
 * has no bytes. UNSUITABLE: the server cannot be used for videos. REFUSED: svc refuses to connect. UNAVAILABLE: the
 * storage does not respond as it should; another attempt may succeed.
 */
export type ObjectTrouble =
  | "MISSING"
  | "DENIED"
  | "CHANGED"
  | "EMPTY"
  | "UNSUITABLE"
  | "REFUSED"
  | "UNAVAILABLE";

export interface ObjectFaultOptions extends ErrorOptions {
  readonly retryAfterMs?: number | undefined;
}

export class ObjectFault extends Error {
  override readonly name = "ObjectFault";
  readonly trouble: ObjectTrouble;
  /** Milliseconds that the storage asks to wait before the next attempt; undefined: not given. */
  readonly retryAfterMs: number | undefined;

  /** `message`: a clause about the object or its storage, without its URL. */
  constructor(trouble: ObjectTrouble, message: string, options: ObjectFaultOptions = {}) {
    super(message, options);
    this.trouble = trouble;
    this.retryAfterMs = options.retryAfterMs;
  }
}

/** Identifies the content of an object with this version, as far as its name is the same. */
export function objectIdentity({ etag, size, modifiedMs }: ObjectVersion): string {
  return `object ${size} ${modifiedMs ?? ""} ${etag}`;
}

/** An ETag that is equal only for equal bytes. */
export function isStrong(etag: string): boolean {
  return /^"[\x21\x23-\x7e\x80-\xff]*"$/.test(etag);
}
