/** Fetches the objects of tasks into the node's cache, which is opened for the first of them. */

import type { Side } from "../../engine/contract/request.ts";
import type { OpenRemote } from "../../engine/contract/work.ts";
import { fileNameOf, remoteName } from "../../jobs/media/names.ts";
import { MediaCache } from "../../media/cache/cache.ts";
import { objectFailure } from "../../media/objects/failures.ts";
import { objectIdentity } from "../../media/objects/object.ts";
import { ObjectReader } from "../../media/objects/reader.ts";
import type { Log } from "../../platform/observability/log.ts";
import type { NodeMetrics } from "../metrics.ts";
import type { LeasedMedia } from "./leased-media.ts";

export interface MediaCacheSettings {
  /** Directory of the caches of this machine's nodes; each takes a free folder in it. */
  readonly directory: string;
  readonly maxBytes: number;
}

export interface NodeMediaOptions extends MediaCacheSettings {
  readonly metrics: NodeMetrics;
  readonly log: Log;
}

/** The task that needs an object. */
export interface Needing {
  readonly jobId: string;
  readonly tenant: string;
  readonly media: LeasedMedia;
  /** The names of both videos, as the job has them. */
  readonly names: Readonly<Record<Side, string>>;
}

export class NodeMedia {
  readonly #options: NodeMediaOptions;
  readonly #reader = new ObjectReader();
  #cache: Promise<MediaCache> | undefined;

  constructor(options: NodeMediaOptions) {
    this.#options = options;
  }

  /** Returns how the sides of a task that are objects are opened. */
  openers(task: Needing): Partial<Record<Side, OpenRemote>> {
    const { media } = task;
    return Object.fromEntries(
      media.sides.map((side) => [side, (signal: AbortSignal) => this.#open(task, side, signal)]),
    );
  }

  /** Ends running fetches. */
  async close(): Promise<void> {
    await this.#reader.close();
    const cache = await this.#cache?.catch(() => undefined);
    await cache?.close();
  }

  async #open(task: Needing, side: Side, signal: AbortSignal): ReturnType<OpenRemote> {
    const { names, media } = task;
    const name = names[side];
    const version = media.version(side);
    const read = { access: () => media.access(side), onDenied: () => media.denied(), version, signal };
    const failure = (error: unknown) => objectFailure(error, side, name, true);
    const object = await this.#fetch(task, side, read).catch((error: unknown) => {
      throw failure(error);
    });
    const remote = remoteName(name);
    return {
      handle: object.handle,
      path: object.path,
      fileName: remote === undefined || remote.kind === "fault" ? "" : fileNameOf(remote),
      size: version.size,
      modifiedMs: version.modifiedMs ?? 0,
      identity: objectIdentity(version),
      verifyUnchanged: () =>
        this.#reader.verify(read).catch((error: unknown) => {
          throw failure(error);
        }),
      [Symbol.asyncDispose]: () => object[Symbol.asyncDispose](),
    };
  }

  async #fetch(task: Needing, side: Side, read: Parameters<MediaCache["whole"]>[1]) {
    const { metrics, log } = this.#options;
    const { tenant, names, media, jobId } = task;
    const started = performance.now();
    let bytes = 0;
    const onFetched = (more: number) => {
      bytes += more;
      metrics.mediaFetched.inc(more);
    };
    const cache = await this.#opened();
    const key = {
      tenant,
      place: placeOf(read.access().url),
      name: names[side],
      version: media.version(side),
    };
    const object = await cache.whole(key, { ...read, onFetched });
    metrics.mediaCached.set(cache.bytes);
    if (bytes > 0) {
      const durationMs = Math.round(performance.now() - started);
      log.info({ jobId, side, bytes, durationMs }, "fetched a video");
    }
    return object;
  }

  #opened(): Promise<MediaCache> {
    const opening = this.#cache ?? MediaCache.open({ ...this.#options, reader: this.#reader });
    this.#cache = opening;
    // The next task tries again.
    opening.catch(() => {
      this.#cache = undefined;
    });
    return opening;
  }
}

/** Where an object is, without what a signature adds. */
function placeOf(url: string): string {
  const { origin, pathname } = new URL(url);
  return origin + pathname;
}
