/** What has come of requests that are not whole yet stands in memory: so much of a tenant, and so much of all. */
import { Failure } from "./failure.ts";

export interface HeldBytesLimits {
  /** Bytes of all that a tenant's requests hold, and of all tenants together. */
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

  /** Counts bytes for a tenant, or gives them back; false: there is no room for them. */
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
  const why = "Too much is held of requests that are not whole yet.";
  return new Failure("TOO_MANY_UNFINISHED", `${why} Send fewer at a time, and each to its end.`);
}
