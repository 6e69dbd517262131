/**
 * The objects of a title in a storage, as one task reads them. The version of each is looked up before it is read, and
 * every response must be of that version; for the manifest, of the version that its job was submitted with.
 */
import type { Side } from "../../engine/contract/request.ts";
import { MAX_TITLE_OBJECTS, type TitleFolder } from "../../jobs/media/title-objects.ts";
import { titleFailure } from "../../media/objects/failures.ts";
import { type ObjectAccess, ObjectFault, type ObjectVersion } from "../../media/objects/object.ts";
import { MAX_ATTEMPTS, type ObjectReader } from "../../media/objects/reader.ts";
import { batchesOf } from "../../platform/batches.ts";
import { inOrder } from "../../platform/concurrency/in-order.ts";
import type { OpenTitleFile } from "../../titles/open-file.ts";
import { ObjectPlaces } from "../../titles/places.ts";
import type { LeasedMedia } from "./leased-media.ts";
import type { SignedUrls, Signing } from "./signed-urls.ts";

/** Objects that are looked up in parallel. */
const CONCURRENT = 32;

export interface StoredTitleOptions extends Signing {
  readonly folder: TitleFolder;
  readonly side: Side;
  readonly media: LeasedMedia;
  readonly urls: SignedUrls;
  readonly reader: ObjectReader;
  /** Versions of objects that are already known. */
  readonly known?: ReadonlyMap<string, ObjectVersion> | undefined;
  /** Called with the number of bytes of each part that was fetched. */
  readonly onFetched: (bytes: number) => void;
}

export class StoredTitle {
  readonly places: ObjectPlaces;
  readonly #options: StoredTitleOptions;
  /** The version of each object that was looked up. */
  readonly #versions: Map<string, ObjectVersion>;

  constructor(options: StoredTitleOptions) {
    this.#options = options;
    this.places = new ObjectPlaces(options.folder);
    this.#versions = new Map(options.known);
    this.#versions.set(this.places.manifest, options.media.version(options.side));
  }

  /** The versions of the manifest and of all objects that were looked up. */
  get versions(): ReadonlyMap<string, ObjectVersion> {
    return this.#versions;
  }

  /** Opens an object for reading; connects only if its version has to be looked up. Throws Failure. */
  readonly open: OpenTitleFile = async (file) => {
    await this.look([file]);
    const version = this.#versions.get(file);
    if (version === undefined) throw new Error("an object that was looked up has a version");
    const { size } = version;
    return {
      stat: async () => ({ size }),
      read: async (buffer, offset, length, position) => {
        const bytesRead = Math.max(0, Math.min(length, size - position));
        if (bytesRead > 0)
          await this.#read(file, version, buffer.subarray(offset, offset + bytesRead), position);
        return { bytesRead };
      },
      [Symbol.asyncDispose]: async () => {},
    };
  };

  /** Looks up the versions of objects that are not yet known. Throws Failure. */
  async look(files: readonly string[]): Promise<void> {
    const { folder, reader, signal } = this.#options;
    const isWeb = folder.root.startsWith("https:");
    const unknown = [...new Set(files)].filter((file) => !this.#versions.has(file));
    await this.#each(unknown, false, async (file, access) => {
      this.#versions.set(file, await reader.look(access, isWeb, signal, MAX_ATTEMPTS));
    });
  }

  /** Throws MEDIA_CHANGED if an object has changed since it was looked up. Default of `files`: all. */
  async verify(files: readonly string[] = [...this.#versions.keys()]): Promise<void> {
    const { reader, signal } = this.#options;
    await this.#each(files, true, async (file, access) => {
      const version = this.#versions.get(file);
      if (version !== undefined) await reader.verify({ access: () => access, version, signal });
    });
  }

  /** Runs work on several objects concurrently. Throws the first failure. */
  async #each(
    files: readonly string[],
    isKnown: boolean,
    work: (file: string, access: ObjectAccess) => Promise<void>,
  ): Promise<void> {
    for (const batch of batchesOf(files, MAX_TITLE_OBJECTS)) {
      const accesses = await this.#accesses(batch);
      const objects = inOrder([...batch.keys()], CONCURRENT, async (index) => {
        const [file, access] = [batch[index], accesses[index]];
        if (file === undefined || access === undefined) return;
        await work(file, access).catch((error: unknown) => {
          if (error instanceof ObjectFault && error.trouble === "DENIED") this.#denied(file);
          throw this.#failure(error, file, isKnown);
        });
      });
      for await (const _ of objects) this.#options.signal.throwIfAborted();
    }
  }

  async #read(file: string, version: ObjectVersion, target: Buffer, position: number): Promise<void> {
    const { reader, signal, onFetched } = this.#options;
    let [access] = await this.#accesses([file]);
    const renewed = async () => {
      [access] = await this.#accesses([file]);
    };
    const read = {
      access: () => access as ObjectAccess,
      onDenied: () => {
        this.#denied(file);
        renewed().catch(() => {});
      },
      range: { first: position, last: position + target.length - 1 },
      write: async (chunk: Buffer, offset: number) => {
        chunk.copy(target, offset - position);
        onFetched(chunk.length);
      },
    };
    await reader.read({ ...read, version, signal }).catch((error: unknown) => {
      throw this.#failure(error, file, true);
    });
  }

  /** Returns the access to objects, in order. That to the manifest came with the lease. */
  async #accesses(files: readonly string[]): Promise<readonly ObjectAccess[]> {
    const { media, side, urls } = this.#options;
    const others = files.filter((file) => file !== this.places.manifest);
    const signed = await urls.of(
      this.#options,
      others.map((file) => this.places.pathOf(file)),
    );
    const manifest = media.access(side);
    const urlOf = new Map(others.map((file, index) => [file, signed[index] ?? ""]));
    return files.map((file) => ({ ...manifest, url: urlOf.get(file) ?? manifest.url }));
  }

  #denied(file: string): void {
    const { media, urls } = this.#options;
    if (file === this.places.manifest) media.denied();
    else urls.forget(this.#options, this.places.pathOf(file));
  }

  #failure(error: unknown, file: string, isKnown: boolean): unknown {
    this.#options.signal.throwIfAborted();
    return titleFailure(error, file, this.places.manifest, isKnown);
  }
}
