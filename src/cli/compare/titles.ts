/** Replaces manifests among the encodes by their renditions, which are joined to files when they are needed. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, extname, join } from "node:path";
import { tempDirFailure } from "../../engine/files/temporary-folder.ts";
import { remoteName } from "../../jobs/media/names.ts";
import { isManifest } from "../../jobs/media/titles.ts";
import { Failure, invalid } from "../../platform/failure.ts";
import { assemble } from "../../titles/assemble.ts";
import { readTitle } from "../../titles/read-title.ts";
import type { Rendition } from "../../titles/title.ts";
import { quoteName } from "../terminal/escape.ts";
import type { Pair } from "./pairs.ts";

/** The rendition that is the distorted video of a pair. */
export interface TitlePart {
  /** Path of the file. */
  readonly manifest: string;
  readonly rendition: Rendition;
}

/**
 * Returns the pairs, each manifest replaced by its renditions. Throws Failure. Here, a manifest that cannot be read
 * stays a pair, with its failure, unless it is the only video.
 *
 * @param submitted whether nodes of a controller score them; those read the titles in storages
 */
export async function withRenditions(pairs: readonly Pair[], submitted: boolean): Promise<readonly Pair[]> {
  const titles = new Map<string, Promise<readonly Rendition[]>>();
  const expanded = pairs.map(async (pair) => {
    const { reference, distorted: manifest } = pair;
    if (isManifest(reference))
      throw invalid(
        `${quoteName(reference)} is a manifest. Give the source video of the title as reference.`,
      );
    if (!isManifest(manifest)) return [pair];
    const isStored = remoteName(manifest) !== undefined;
    if (isStored && submitted) return [pair];
    if (isStored)
      throw invalid(
        `${quoteName(manifest)} is a manifest in a storage, which only nodes of a controller read. Add --submit, or compare a copy of the title on this machine.`,
      );
    const title = titles.get(manifest) ?? readTitle(manifest);
    titles.set(manifest, title);
    const renditions = submitted ? await title : await title.catch((thrown: unknown) => Failure.from(thrown));
    if (renditions instanceof Failure) return [{ ...pair, failure: renditions }];
    return renditions.map((rendition) => ({
      ...pair,
      distorted: `${manifest}#${rendition.name}`,
      part: { manifest, rendition },
    }));
  });
  const all = (await Promise.all(expanded)).flat();
  const isAlone = new Set(all.map(({ distorted }) => distorted)).size === 1;
  if (isAlone && all[0]?.failure !== undefined) throw all[0].failure;
  return all;
}

/** A temporary folder with the files of renditions. Disposing of it deletes them. */
export class RenditionFiles implements AsyncDisposable {
  #folder: Promise<string> | undefined;

  /** Returns the file of a pair's distorted video; for a rendition this is a new file in most cases. Throws Failure. */
  async fileOf({ distorted, part }: Pair, signal: AbortSignal): Promise<string> {
    if (part === undefined) return distorted;
    const { manifest, rendition } = part;
    this.#folder ??= mkdtemp(join(tmpdir(), "svc-title-"));
    try {
      const title = basename(manifest, extname(manifest));
      const folder = await mkdtemp(join(await this.#folder, "rendition-"));
      return await assemble(rendition, {
        manifest,
        target: join(folder, `${title}-${rendition.name}`),
        signal,
      });
    } catch (error) {
      throw tempDirFailure(error) ?? error;
    }
  }

  /** Deletes a file that fileOf made. Leaves those of the title alone. */
  async release(file: string): Promise<void> {
    const folder = await this.#folder;
    if (folder !== undefined && file.startsWith(join(folder, "/"))) await rm(file, { force: true });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const folder = await this.#folder?.catch(() => undefined);
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  }
}
