/** The access of a leased task to its objects. The URLs expire, and are renewed with the lease. */
import { create } from "@bufbuild/protobuf";
import { timestampMs } from "@bufbuild/protobuf/wkt";
import type { Side } from "../../engine/contract/request.ts";
import { type MediaFetch, MediaFetchSchema, type MediaVersion } from "../../gen/proto/svc/v1/job_pb.ts";
import { type MediaAccess, MediaAccess_Side } from "../../gen/proto/svc/v1/node_pb.ts";
import type { ObjectAccess, ObjectVersion } from "../../media/objects/object.ts";
import { invalid } from "../../platform/failure.ts";

/** Share of its life after which a URL is renewed. */
const RENEW_AFTER = 0.5;

interface Reached {
  readonly access: ObjectAccess;
  readonly version: ObjectVersion | undefined;
  /** A time of performance.now(). */
  readonly renewAt: number;
}

export class LeasedMedia {
  readonly #sides = new Map<Side, Reached>();
  /** For each side whose fetch has begun: the needed bytes, and the fetched ones. */
  readonly #fetched = new Map<Side, { readonly total: number; readonly done: () => number }>();
  #denied = false;

  constructor(media: readonly MediaAccess[]) {
    this.renew(media);
  }

  get sides(): readonly Side[] {
    return [...this.#sides.keys()];
  }

  /** Whether the controller should send new URLs. */
  get needsRenewal(): boolean {
    const now = performance.now();
    return this.#denied || [...this.#sides.values()].some(({ renewAt }) => now >= renewAt);
  }

  /**
   * Records that a side is being fetched. `done` returns the fetched bytes, of `total`; if they are equal,
   * the fetch has ended.
   */
  fetching(side: Side, total: number, done: () => number): void {
    this.#fetched.set(side, { total, done });
  }

  /**
   * The progress of fetching all sides; undefined before the first fetch begins, and once all bytes are
   * fetched.
   */
  get fetch(): MediaFetch | undefined {
    if (this.#fetched.size === 0) return undefined;
    const sides = [...this.#sides];
    const bytesTotal = sum(
      sides.map(([side, { version }]) => this.#fetched.get(side)?.total ?? version?.size ?? 0),
    );
    const bytesDone = Math.min(sum([...this.#fetched.values()].map(({ done }) => done())), bytesTotal);
    return bytesDone === bytesTotal ? undefined : create(MediaFetchSchema, { bytesDone, bytesTotal });
  }

  /** Records that the storage refused a URL: it may have expired, or its credentials may have been replaced. */
  denied(): void {
    this.#denied = true;
  }

  renew(media: readonly MediaAccess[]): void {
    this.#denied = false;
    for (const one of media) {
      const side = SIDE_OF[one.side];
      if (side !== undefined) this.#sides.set(side, reachedBy(one));
    }
  }

  access(side: Side): ObjectAccess {
    return this.#of(side).access;
  }

  /** Returns the URL of a side's object without the query, which contains the signature. */
  place(side: Side): string {
    const { origin, pathname } = new URL(this.access(side).url);
    return origin + pathname;
  }

  /**
   * Returns the version of a side's object. Throws INVALID_REQUEST if the controller sent none: without it,
   * any content would pass as that of the job.
   */
  version(side: Side): ObjectVersion {
    const { version } = this.#of(side);
    if (version === undefined) throw invalid(`The task has no version of the ${side} video.`);
    return version;
  }

  #of(side: Side): Reached {
    const reached = this.#sides.get(side);
    if (reached === undefined) throw invalid(`The task has no URL of the ${side} video.`);
    return reached;
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((one, other) => one + other, 0);
}

/** The sides as calls name them. */
export const MEDIA_SIDES: Readonly<Record<Side, MediaAccess_Side>> = {
  reference: MediaAccess_Side.REFERENCE,
  distorted: MediaAccess_Side.DISTORTED,
};

const SIDE_OF: Readonly<Record<MediaAccess_Side, Side | undefined>> = {
  [MediaAccess_Side.SIDE_UNSPECIFIED]: undefined,
  [MediaAccess_Side.REFERENCE]: "reference",
  [MediaAccess_Side.DISTORTED]: "distorted",
};

function reachedBy({ url, hosts, privateNetwork, validSeconds, version }: MediaAccess): Reached {
  return {
    access: { url, reach: { hosts, plainHttp: privateNetwork }, privateNetwork },
    version: version && versionOf(version),
    renewAt: performance.now() + validSeconds * 1000 * RENEW_AFTER,
  };
}

function versionOf({ etag, size, modifyTime }: MediaVersion): ObjectVersion {
  return { etag, size, modifiedMs: modifyTime && timestampMs(modifyTime) };
}
