/**
 * Brings videos of tasks to disk: objects into the node's cache, which is opened for the first of them, and renditions of
 * titles, which are joined to files.
 */
import { SIDES, type Side } from "../../engine/contract/request.ts";
import type { OpenRemote } from "../../engine/contract/work.ts";
import type { MediaRoots } from "../../engine/files/roots.ts";
import { type ByteRange, bytesIn } from "../../jobs/media/byte-range.ts";
import { fileNameOf, remoteName } from "../../jobs/media/names.ts";
import { renditionName } from "../../jobs/media/titles.ts";
import { type CachedObject, MediaCache } from "../../media/cache/cache.ts";
import type { EntryRead } from "../../media/cache/entry.ts";
import { objectFailure } from "../../media/objects/failures.ts";
import { objectIdentity } from "../../media/objects/object.ts";
import { ObjectReader } from "../../media/objects/reader.ts";
import type { Log } from "../../platform/observability/log.ts";
import { TitleReader } from "../../titles/title-reader.ts";
import type { NodeMetrics } from "../metrics.ts";
import { JoinedFiles } from "./joined-files.ts";
import type { LeasedMedia } from "./leased-media.ts";
import { Renditions } from "./renditions.ts";
import type { Sign } from "./signed-urls.ts";
import { StoredRenditions, type TitleNeed } from "./stored-renditions.ts";

export interface MediaCacheSettings {
  /** Directory of the caches of this machine's nodes; each uses a free folder in it. */
  readonly directory: string;
  readonly maxBytes: number;
}

export interface NodeMediaOptions extends MediaCacheSettings {
  /** Where titles may be read; undefined: anywhere on this machine. */
  readonly roots: MediaRoots | undefined;
  /** Asks the controller for URLs of objects of a task's title. */
  readonly sign: (task: TaskFence, side: Side, ...asked: Parameters<Sign>) => ReturnType<Sign>;
  readonly metrics: NodeMetrics;
  readonly log: Log;
}

/** Proof for the controller that this node holds a task. */
export interface TaskFence {
  readonly session: string;
  readonly itemId: string;
  readonly attempt: number;
}

/** A task that needs objects or renditions. */
export interface Needing {
  readonly fence: TaskFence;
  readonly jobId: string;
  readonly tenant: string;
  readonly media: LeasedMedia;
  /** The plan of the pair whose segment is scored; undefined: another task. */
  readonly plan: string | undefined;
  /** The names of both videos, as the job has them. */
  readonly names: Readonly<Record<Side, string>>;
}

export class NodeMedia {
  readonly #options: NodeMediaOptions;
  readonly #reader = new ObjectReader();
  readonly #titles = new TitleReader();
  readonly #joined: JoinedFiles;
  readonly #renditions: Renditions;
  readonly #stored: StoredRenditions;
  #cache: Promise<MediaCache> | undefined;

  constructor(options: NodeMediaOptions) {
    this.#options = options;
    this.#joined = new JoinedFiles(options);
    const shared = { joined: this.#joined, titles: this.#titles };
    this.#renditions = new Renditions({ roots: options.roots, ...shared });
    this.#stored = new StoredRenditions({ ...options, ...shared, reader: this.#reader });
  }

  /** Returns how the sides of a task that are objects or renditions are opened. */
  openers(task: Needing): Partial<Record<Side, OpenRemote>> {
    const { media, names, tenant } = task;
    const opener = (side: Side): OpenRemote | undefined => {
      const name = renditionName(names[side]);
      if (!media.sides.includes(side))
        return name && ((signal) => this.#renditions.open(tenant, name, signal));
      return name === undefined
        ? (signal) => this.#open(task, side, signal)
        : (signal) => this.#stored.open(this.#needOf(task, side), name, signal);
    };
    return Object.fromEntries(
      SIDES.flatMap((side) => {
        const open = opener(side);
        return open === undefined ? [] : [[side, open]];
      }),
    );
  }

  /** Returns the names of the renditions of the title that is the distorted video of a task. Throws Failure. */
  renditionsOf(task: Needing, signal: AbortSignal): Promise<readonly string[]> {
    const { tenant, media, names } = task;
    return media.sides.includes("distorted")
      ? this.#stored.list(this.#needOf(task, "distorted"), names.distorted, signal)
      : this.#renditions.list(tenant, names.distorted);
  }

  /** Ends running fetches. */
  async close(): Promise<void> {
    await this.#joined.close();
    await this.#titles.close();
    await this.#reader.close();
    const cache = await this.#cache?.catch(() => undefined);
    await cache?.close();
  }

  #needOf({ fence, ...task }: Needing, side: Side): TitleNeed {
    return { ...task, side, sign: (...asked) => this.#options.sign(fence, side, ...asked) };
  }

  async #open(task: Needing, side: Side, signal: AbortSignal): ReturnType<OpenRemote> {
    const { tenant, names, media } = task;
    const name = names[side];
    const version = media.version(side);
    const read = { access: () => media.access(side), onDenied: () => media.denied(), version, signal };
    const failure = (error: unknown): never => {
      throw objectFailure(error, side, name, true);
    };
    const key = { tenant, place: media.place(side), name, version };
    const cache = await this.#opened();
    const object = await cache.open(key).catch(failure);
    const remote = remoteName(name);
    return {
      handle: object.handle,
      path: object.path,
      fileName: remote === undefined || remote.kind === "fault" ? "" : fileNameOf(remote),
      size: version.size,
      modifiedMs: version.modifiedMs ?? 0,
      identity: objectIdentity(version),
      fetch: (ranges) => this.#fetch(task, side, object, ranges, read).catch(failure),
      holds: (ranges) => object.holds(ranges),
      verifyUnchanged: () => this.#reader.verify(read).catch(failure),
      [Symbol.asyncDispose]: () => object[Symbol.asyncDispose](),
    };
  }

  async #fetch(
    { jobId, media }: Needing,
    side: Side,
    object: CachedObject,
    ranges: readonly ByteRange[],
    read: EntryRead,
  ): Promise<void> {
    const { metrics, log } = this.#options;
    const started = performance.now();
    let bytes = 0;
    const onFetched = (more: number) => {
      bytes += more;
      metrics.mediaFetched.inc(more);
    };
    const total = bytesIn(ranges);
    media.fetching(side, total, () => object.bytesOf(ranges));
    await object.fetch(ranges, { ...read, onFetched });
    media.fetching(side, total, () => total);
    metrics.mediaCached.set((await this.#opened()).bytes);
    if (bytes > 0) {
      const durationMs = Math.round(performance.now() - started);
      log.info({ jobId, side, bytes, durationMs }, "fetched a video");
    }
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
