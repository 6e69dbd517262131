/** Videos and titles in the storages of tenants: checks their names, finds their versions, and signs URLs for nodes. */
import { create } from "@bufbuild/protobuf";
import { SIDES, type Side } from "../../engine/contract/request.ts";
import type { JobSpec, MediaVersion } from "../../gen/proto/svc/v1/job_pb.ts";
import { type MediaAccess, MediaAccess_Side, MediaAccessSchema } from "../../gen/proto/svc/v1/node_pb.ts";
import { type StoragesOf, storageOf } from "../../jobs/media/storages.ts";
import { isStoredTitle, manifestOf, titleObject } from "../../jobs/media/title-objects.ts";
import { objectFailure } from "../../media/objects/failures.ts";
import type { ObjectReader } from "../../media/objects/reader.ts";
import { type Found, findRemote, SIGNED_SECONDS, type Signer } from "../../media/storages/signer.ts";
import { Failure, invalid } from "../../platform/failure.ts";
import { isSame, versionIn, versionMessage } from "./versions.ts";

/** Milliseconds that a submission waits for a storage. */
const LOOK_LIMIT_MS = 30_000;

export interface RemoteVideosOptions {
  readonly storagesOf: StoragesOf;
  readonly signer: Signer;
  readonly reader: ObjectReader;
}

export class RemoteVideos {
  readonly #options: RemoteVideosOptions;

  constructor(options: RemoteVideosOptions) {
    this.#options = options;
  }

  /**
   * Whether a name refers to an object, or to a rendition whose manifest is an object, rather than to a file. Throws
   * URL_NOT_SUPPORTED, and URL_NOT_ALLOWED for an object outside the tenant's storages. Connects to nothing.
   */
  isRemote(tenant: string, side: Side, name: string): boolean {
    return this.#find(tenant, side, name) !== undefined;
  }

  /**
   * Returns the current version of a job's object; for a title, that of its manifest; undefined for a file. Throws
   * MEDIA_CHANGED if the spec has another version, and a Failure if the object cannot be read.
   */
  async look(
    tenant: string,
    spec: JobSpec,
    side: Side,
    signal?: AbortSignal,
  ): Promise<MediaVersion | undefined> {
    const { [side]: name } = spec;
    const found = this.#find(tenant, side, name);
    const given = versionIn(spec, side);
    if (found === undefined && given !== undefined)
      throw invalid(`${side}Version is only for objects of a storage. Leave it out for a file.`);
    if (found === undefined) return undefined;
    const late = AbortSignal.timeout(LOOK_LIMIT_MS);
    const access = await this.#options.signer.access(found);
    const isWeb = found.name.kind === "https";
    const signals = signal === undefined ? late : AbortSignal.any([late, signal]);
    const version = await this.#options.reader.look(access, isWeb, signals).catch((error: unknown) => {
      throw late.aborted ? tooSlow(side, name) : objectFailure(error, side, name, false);
    });
    const message = versionMessage(version);
    if (given !== undefined && !isSame(given, message)) throw changed(side, name);
    return message;
  }

  /**
   * Returns URLs by which a node can fetch the objects of a job for a while; for titles, those of the manifests. Throws
   * URL_NOT_ALLOWED, STORAGE_UNAVAILABLE.
   */
  async lease(tenant: string, spec: JobSpec): Promise<MediaAccess[]> {
    const leased: MediaAccess[] = [];
    for (const side of SIDES) {
      const found = this.#find(tenant, side, spec[side]);
      if (found !== undefined) leased.push(await this.#access(found, side, versionIn(spec, side)));
    }
    return leased;
  }

  /**
   * Returns URLs of objects of a job's title, which are valid as long as those of `lease`. Throws INVALID_REQUEST if
   * the side is not a title in a storage, and URL_NOT_ALLOWED for an object that is not below the folder of its
   * manifest, or not in its storage.
   *
   * @param paths from the folder of the manifest
   */
  async titleObjects(
    tenant: string,
    spec: JobSpec,
    side: Side,
    paths: readonly string[],
  ): Promise<readonly string[]> {
    const name = spec[side];
    const storages = this.#options.storagesOf(tenant);
    const found = isStoredTitle(name) ? findRemote(side, manifestOf(name), storages) : undefined;
    if (found === undefined) throw invalid(`The ${side} video of the task is not a title in a storage.`);
    const objects = paths.map((path) => {
      const object = titleObject(found.name, path);
      if (object !== undefined && storageOf(storages, object) === found.storage) return object;
      throw notOfTitle(manifestOf(name), path);
    });
    const urls: string[] = [];
    for (const object of objects) {
      const { url } = await this.#options.signer.access({ name: object, storage: found.storage });
      urls.push(url);
    }
    return urls;
  }

  async #access(found: Found, side: Side, version: MediaVersion | undefined): Promise<MediaAccess> {
    const { url, reach, privateNetwork } = await this.#options.signer.access(found);
    return create(MediaAccessSchema, {
      side: side === "reference" ? MediaAccess_Side.REFERENCE : MediaAccess_Side.DISTORTED,
      url,
      validSeconds: SIGNED_SECONDS,
      ...(version && { version }),
      hosts: [...reach.hosts],
      privateNetwork,
    });
  }

  #find(tenant: string, side: Side, name: string): Found | undefined {
    return findRemote(side, manifestOf(name), this.#options.storagesOf(tenant));
  }
}

function notOfTitle(manifest: string, path: string): Failure {
  return new Failure(
    "URL_NOT_ALLOWED",
    `The object ${JSON.stringify(path.slice(0, 200))} is not one of the title ${JSON.stringify(manifest)}: it is not below the folder of the manifest, or not in the storage of the manifest. Put all files of the title there.`,
  );
}

function changed(side: Side, name: string): Failure {
  return new Failure(
    "MEDIA_CHANGED",
    `The ${side} video ${JSON.stringify(name)} is not the version that ${side}Version names: it was replaced. Leave ${side}Version out to use the current one.`,
  );
}

function tooSlow(side: Side, name: string): Failure {
  return new Failure(
    "STORAGE_UNAVAILABLE",
    `The storage of the ${side} video ${JSON.stringify(name)} did not respond within ${LOOK_LIMIT_MS / 1000} s. Try again later.`,
  );
}
