/** Limits the memory held by incomplete requests, per tenant and in total. */
import { Failure } from "../failure.ts";

const MIB = 1024 * 1024;
/** Limits of the bytes held by the requests of one tenant, and of all tenants together. */
const MAX_TENANT_BYTES = 64 * MIB;
const MAX_BYTES = 256 * MIB;

export class HeldBytes {
  readonly #bytesOf = new Map<string, number>();
  #bytes = 0;

  /**
   * Adds bytes to a tenant, or subtracts them if negative. Returns false, and adds nothing, if a limit would be
   * exceeded.
   */
  count(tenant: string, bytes: number): boolean {
    const own = (this.#bytesOf.get(tenant) ?? 0) + bytes;
    if (bytes > 0 && (own > MAX_TENANT_BYTES || this.#bytes + bytes > MAX_BYTES)) return false;
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
