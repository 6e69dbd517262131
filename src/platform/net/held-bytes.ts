/** Limits the memory held by incomplete requests, per tenant and in total. */
import { Failure } from "../failure.ts";

export interface HeldBytesLimits {
  /** Bytes held by the requests of one tenant, and of all tenants together. */
  readonly tenantBytes: number;
  readonly bytes: number;
}

const MIB = 1024 * 1024;
export const HELD_BYTES_LIMITS: HeldBytesLimits = { tenantBytes: 64 * MIB, bytes: 256 * MIB };

export class HeldBytes {
  readonly #limits: HeldBytesLimits;
  readonly #bytesOf = new Map<string, number>();
  #bytes = 0;

  constructor(limits: HeldBytesLimits = HELD_BYTES_LIMITS) {
    this.#limits = limits;
  }

  /**
   * Adds bytes to a tenant, or subtracts them if negative. Returns false, and adds nothing, if a limit would be
   * exceeded.
   */
  count(tenant: string, bytes: number): boolean {
    const own = (this.#bytesOf.get(tenant) ?? 0) + bytes;
    if (bytes > 0 && (own > this.#limits.tenantBytes || this.#bytes + bytes > this.#limits.bytes))
      return false;
    this.#bytes += bytes;
    if (own > 0) this.#bytesOf.set(tenant, own);
    else this.#bytesOf.delete(tenant);
    return true;
  }
}

export function tooMuchHeld(): Failure {
  const why = "Incomplete requests hold too much memory.";
  return new Failure("TOO_MANY_UNFINISHED", `${why} Send fewer requests at a time and complete each one.`);
}
