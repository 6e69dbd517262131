/** Reads the headers of the videos on a page, within limits of time and number. */
import type { Header, ListedVideo, ReadHeader } from "../../engine/header.ts";
import { KeyedSemaphore } from "../../platform/concurrency/keyed-semaphore.ts";
import { untilAborted } from "../../platform/concurrency/lifecycle.ts";

/** Videos of a tenant that are read at a time, and of all tenants together. */
const AT_ONCE = 2;
const ALL_AT_ONCE = 4;
/** Milliseconds for a page. */
const PAGE_LIMIT_MS = 8_000;

export class Probes {
  readonly #read: ReadHeader;
  readonly #ofTenant = new KeyedSemaphore(AT_ONCE);
  readonly #all = new KeyedSemaphore(ALL_AT_ONCE);

  constructor(read: ReadHeader) {
    this.#read = read;
  }

  /** Returns the headers that could be read in time, by name. Videos that cannot be read have none. */
  async of(
    tenant: string,
    videos: readonly ListedVideo[],
    caller: AbortSignal,
  ): Promise<ReadonlyMap<string, Header>> {
    const found = new Map<string, Header>();
    const late = AbortSignal.timeout(PAGE_LIMIT_MS);
    const signal = AbortSignal.any([caller, late]);
    const read = async (video: ListedVideo): Promise<void> => {
      if (signal.aborted) return;
      const header = await this.#read(video, signal).catch(() => undefined);
      if (header !== undefined) found.set(video.name, header);
    };
    const all = videos.map((video) => this.#ofTenant.run(tenant, () => this.#all.run("", () => read(video))));
    // A file system or storage that does not respond must not delay the response.
    await Promise.race([Promise.all(all), untilAborted(signal)]);
    return new Map(found);
  }
}
