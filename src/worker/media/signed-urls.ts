/**
 * Signed URLs of objects of titles, from the controller. They are kept for further tasks on the same title.
 */
import { LRUCache } from "lru-cache";
import { BackOff } from "../../platform/concurrency/back-off.ts";
import { pause } from "../../platform/concurrency/lifecycle.ts";
import { Failure } from "../../platform/failure.ts";

/** Limit of kept URLs of all titles together: some 20 MB. */
const MAX_URLS = 20_000;
/** Share of its lifetime for which a URL is used. */
const USED_FOR = 0.5;
/** Attempts to get URLs while the controller cannot be reached: about half a minute. */
const MAX_ATTEMPTS = 8;
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 10_000;

/** Asks the controller for URLs of objects, whose paths are relative to the folder of the manifest. */
export type Sign = (
  paths: readonly string[],
  signal: AbortSignal,
) => Promise<{ readonly urls: readonly string[]; readonly validSeconds: number }>;

/** A title of a tenant, for a task that may ask for its objects. */
export interface Signing {
  /** Equal only for the same manifest of the same tenant. */
  readonly key: string;
  readonly sign: Sign;
  readonly signal: AbortSignal;
}

export class SignedUrls {
  readonly #urls = new LRUCache<string, string>({ max: MAX_URLS });

  /** Returns the URLs of objects, at most MAX_TITLE_OBJECTS, in order. Throws Failure. */
  async of(signing: Signing, paths: readonly string[]): Promise<readonly string[]> {
    const known = paths.map((path) => this.#urls.get(keyOf(signing.key, path)));
    const missing = paths.filter((_, index) => known[index] === undefined);
    if (missing.length === 0) return known.map((url) => url ?? "");
    const fresh = await this.#signed(signing, missing);
    return paths.map((path, index) => known[index] ?? fresh.get(path) ?? "");
  }

  /**
   * Drops the URL of an object that the storage refused: it may have expired, or its credentials may have
   * been replaced.
   */
  forget({ key }: Signing, path: string): void {
    this.#urls.delete(keyOf(key, path));
  }

  async #signed(signing: Signing, paths: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const asked = performance.now();
    const { urls, validSeconds } = await patiently(signing, paths);
    if (urls.length !== paths.length)
      throw new Failure("INTERNAL", `The controller signed ${urls.length} URLs instead of ${paths.length}.`);
    const ttl = validSeconds * 1000 * USED_FOR;
    const fresh = new Map(paths.map((path, index) => [path, urls[index] ?? ""]));
    for (const [path, url] of fresh) this.#urls.set(keyOf(signing.key, path), url, { ttl, start: asked });
    return fresh;
  }
}

/** Asks again while the controller or the credentials of the storage are unavailable. */
async function patiently({ sign, signal }: Signing, paths: readonly string[]): ReturnType<Sign> {
  const backOff = new BackOff(FIRST_PAUSE_MS, LONGEST_PAUSE_MS);
  for (let attempt = 1; ; attempt++) {
    signal.throwIfAborted();
    try {
      return await sign(paths, signal);
    } catch (thrown) {
      signal.throwIfAborted();
      const failure = Failure.from(thrown);
      const mayPass = failure.kind === "unavailable" || failure.kind === "deadline";
      if (!mayPass || attempt === MAX_ATTEMPTS) throw failure;
      await pause(backOff.next(), signal);
    }
  }
}

function keyOf(title: string, path: string): string {
  return `${title}\n${path}`;
}
