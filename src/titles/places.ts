/** Where the files of a title are: below the folder of its manifest, and nowhere else. */
import { join, resolve, sep } from "node:path";
import { manifestFault } from "./title.ts";

/**
 * Stands for the root of the file system in addresses; no address of the internet has its top-level domain (RFC 2606).
 * Were it the folder of the manifest, "../1.ts" would be the same file as "1.ts".
 */
const ROOT = "https://title.invalid";

/** Resolves the addresses in the manifest of a title and in the manifests that it names. */
export class Places {
  readonly manifest: string;
  /** Ends in a separator. */
  readonly #folder: string;

  /** `manifest`: path of the file. */
  constructor(manifest: string) {
    this.manifest = manifest;
    this.#folder = join(resolve(manifest, ".."), sep);
  }

  /** The address of a file; the manifest's own one by default. */
  addressOf(file = this.manifest): string {
    return ROOT + resolve(file).split(sep).map(encodeURIComponent).join("/");
  }

  /**
   * Returns the file of an address. Throws MANIFEST_UNSUPPORTED if it is not below the folder of the manifest.
   *
   * @param base address of the manifest that has it
   */
  fileOf(address: string, base: string): string {
    const url = URL.parse(address, base);
    if (url === null || url.origin !== ROOT) throw this.#elsewhere(address);
    const file = resolve(this.#decoded(url.pathname));
    if (!file.startsWith(this.#folder)) throw this.#elsewhere(address);
    return file;
  }

  #decoded(path: string): string {
    try {
      const decoded = decodeURIComponent(path);
      if (!decoded.includes("\0")) return decoded;
    } catch {
      // Malformed percent encoding.
    }
    throw this.#elsewhere(path);
  }

  #elsewhere(address: string) {
    return manifestFault(
      "MANIFEST_UNSUPPORTED",
      this.manifest,
      `names ${JSON.stringify(address.slice(0, 200))}, which is not below its own folder. Put all files of the title there, and name them by relative addresses.`,
    );
  }
}
