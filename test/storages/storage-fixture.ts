/** What tests of storages share: a trusted https server, and a reader. */
import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import type { CachedObject, CacheKey, MediaCache } from "../../src/media/cache/cache.ts";
import type { EntryRead } from "../../src/media/cache/entry.ts";
import type { ObjectAccess } from "../../src/media/objects/object.ts";
import { ObjectReader } from "../../src/media/objects/reader.ts";
import { Authority } from "../server/certificates.ts";
import { MediaServer } from "./media-server.ts";

export class StorageFixture implements AsyncDisposable {
  readonly directory: string;
  readonly server: MediaServer;
  readonly reader = new ObjectReader();

  private constructor(directory: string, server: MediaServer) {
    this.directory = directory;
    this.server = server;
  }

  static async open(): Promise<StorageFixture> {
    const directory = await mkdtemp(join(tmpdir(), "storage-"));
    const authority = await Authority.open(directory, "authority");
    setDefaultCACertificates([...getCACertificates("default"), await authority.pem()]);
    return new StorageFixture(directory, await MediaServer.start(authority));
  }

  access(path: string): ObjectAccess {
    const reach = { hosts: [this.server.host], plainHttp: false };
    return { url: this.server.url(path), reach, privateNetwork: true };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.reader.close();
    await this.server.close();
    await rm(this.directory, { recursive: true, force: true });
  }
}

/** Different bytes at every place. */
export function content(bytes: number): Buffer {
  return randomBytes(bytes);
}

/** Opens an object of a cache and fetches all of it. */
export async function openWhole(
  cache: MediaCache,
  key: CacheKey,
  read: Omit<EntryRead, "version">,
): Promise<CachedObject> {
  const object = await cache.open(key);
  try {
    await object.fetch([{ first: 0, last: key.version.size - 1 }], { ...read, version: key.version });
    return object;
  } catch (error) {
    await object[Symbol.asyncDispose]();
    throw error;
  }
}
