/** Counts the open streams of each tenant at this controller, and limits them. */
import { Failure } from "../../platform/failure.ts";

/** Maximum open streams of a tenant per controller. */
const MAX_STREAMS = 100;

export class OpenStreams {
  readonly #byTenant = new Map<string, number>();

  get count(): number {
    return [...this.#byTenant.values()].reduce((sum, count) => sum + count, 0);
  }

  /** Returns a function that ends the stream. Throws TOO_MANY_STREAMS. */
  enter(tenant: string): () => void {
    const open = this.#byTenant.get(tenant) ?? 0;
    if (open >= MAX_STREAMS) {
      throw new Failure("TOO_MANY_STREAMS", `${open} streams are open, which is the limit. Close some.`, {
        found: { streams: open, limit: MAX_STREAMS },
      });
    }
    this.#byTenant.set(tenant, open + 1);
    return () => {
      const left = (this.#byTenant.get(tenant) ?? 1) - 1;
      if (left > 0) this.#byTenant.set(tenant, left);
      else this.#byTenant.delete(tenant);
    };
  }
}
