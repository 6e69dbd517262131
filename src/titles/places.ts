/** Resolves the addresses of a title's files, which must all be below the folder of its manifest. */
import { join, resolve, sep } from "node:path";
import { decodedPart, type TitleFolder } from "../jobs/media/title-objects.ts";
import { manifestFault } from "./title.ts";

/**
 * Represents the root of the file system in addresses; its top-level domain is never used on the internet
 * (RFC 2606). If it represented the folder of the manifest, "../1.ts" would be the same file as "1.ts".
 */
const ROOT = "https://title.invalid";

/** Resolves the addresses in the manifest of a title and in the manifests that it names. */
export interface Places {
  /** File of the manifest. */
  readonly manifest: string;
  /** The address of a file; the manifest's own one by default. */
  addressOf(file?: string): string;
  /**
   * Returns the file of an address. Throws MANIFEST_UNSUPPORTED if it is not below the folder of the manifest.
   *
   * @param base address of the manifest that has it
   */
  fileOf(address: string, base: string): string;
}

/** Places of files on this machine. */
export class FilePlaces implements Places {
  readonly manifest: string;
  /** Path of the folder, which ends in a separator. */
  readonly #folder: string;

  /** `manifest`: path of the file. */
  constructor(manifest: string) {
    this.manifest = manifest;
    this.#folder = join(resolve(manifest, ".."), sep);
  }

  addressOf(file = this.manifest): string {
    return ROOT + resolve(file).split(sep).map(encodeURIComponent).join("/");
  }

  fileOf(address: string, base: string): string {
    const url = URL.parse(address, base);
    if (url === null || url.origin !== ROOT) throw elsewhere(this.manifest, address);
    const file = resolve(this.#decoded(url.pathname));
    if (!file.startsWith(this.#folder)) throw elsewhere(this.manifest, address);
    return file;
  }

  #decoded(path: string): string {
    try {
      const decoded = decodeURIComponent(path);
      if (!decoded.includes("\0")) return decoded;
    } catch {
      // Malformed percent encoding.
    }
    throw elsewhere(this.manifest, path);
  }
}

/**
 * Places of objects in a storage. They are named like the manifest, but without percent-encoding: "s3://BUCKET/KEY",
 * "https://HOST/PATH".
 */
export class ObjectPlaces implements Places {
  readonly manifest: string;
  readonly #folder: TitleFolder;

  constructor(folder: TitleFolder) {
    this.#folder = folder;
    this.manifest = folder.root + folder.path + folder.manifest;
  }

  addressOf(file = this.manifest): string {
    const path = file.slice(this.#folder.root.length);
    return `${ROOT}/${path.split("/").map(encodeURIComponent).join("/")}`;
  }

  /** A query is refused: svc fetches objects by their names alone. */
  fileOf(address: string, base: string): string {
    const url = URL.parse(address, base);
    if (url === null || url.origin !== ROOT) throw elsewhere(this.manifest, address);
    if (url.search !== "")
      throw manifestFault(
        "MANIFEST_UNSUPPORTED",
        this.manifest,
        `names ${JSON.stringify(address.slice(0, 200))}, which has a query. Name the objects of the title without one.`,
      );
    const parts = url.pathname.slice(1).split("/").map(decodedPart);
    if (!parts.every((part) => part !== undefined)) throw elsewhere(this.manifest, address);
    const path = parts.join("/");
    const isBelow = path.startsWith(this.#folder.path);
    if (!isBelow || path.slice(this.#folder.path.length).split("/").includes(""))
      throw elsewhere(this.manifest, address);
    return this.#folder.root + path;
  }

  /** Returns the path of an object, relative to the folder of the manifest. */
  pathOf(file: string): string {
    return file.slice(this.#folder.root.length + this.#folder.path.length);
  }
}

function elsewhere(manifest: string, address: string) {
  return manifestFault(
    "MANIFEST_UNSUPPORTED",
    manifest,
    `names ${JSON.stringify(address.slice(0, 200))}, which is not below its own folder. Put all files of the title there, and name them by relative addresses.`,
  );
}
