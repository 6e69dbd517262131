/**
 * Renditions of titles in media roots, as the videos of tasks: their segments are joined to files, which are
 * kept for further tasks.
 */
import { hash } from "node:crypto";
import type { FileHandle } from "node:fs/promises";
import type { RemoteVideo } from "../../engine/contract/work.ts";
import { type FileFacts, identityOf } from "../../engine/files/identity.ts";
import type { MediaRoots } from "../../engine/files/roots.ts";
import type { RenditionName } from "../../jobs/media/titles.ts";
import { Failure } from "../../platform/failure.ts";
import { assemble, wholeFile } from "../../titles/assemble.ts";
import { segmentStarts } from "../../titles/segment-starts.ts";
import type { Rendition } from "../../titles/title.ts";
import type { TitleReader } from "../../titles/title-reader.ts";
import type { JoinedFiles } from "./joined-files.ts";
import { bytesOf, filesOf, renditionOf, timeFor, videoNameOf } from "./rendition.ts";
import { TitleFiles } from "./title-files.ts";

export interface RenditionsOptions {
  readonly titles: TitleReader;
  readonly joined: JoinedFiles;
  /** undefined: anywhere on this machine. */
  readonly roots: MediaRoots | undefined;
}

/** A rendition, with the facts of its files when it was read. */
interface Found {
  readonly name: RenditionName;
  readonly rendition: Rendition;
  readonly files: TitleFiles;
  /** The manifests and all segments. */
  readonly facts: ReadonlyMap<string, FileFacts>;
}

export class Renditions {
  readonly #options: RenditionsOptions;

  constructor(options: RenditionsOptions) {
    this.#options = options;
  }

  /** Returns the names of the renditions of a title. Throws Failure. */
  async list(tenant: string, manifest: string): Promise<readonly string[]> {
    return (await this.#options.titles.read(manifest, this.#filesOf(tenant).open)).names;
  }

  /** Throws Failure. */
  async open(tenant: string, name: RenditionName, signal: AbortSignal): Promise<RemoteVideo> {
    const found = await this.#find(tenant, name);
    const { handle, path, release } = await this.#fileOf(tenant, found, signal);
    try {
      await verify(found);
      const { manifest, rendition } = name;
      const { size } = await handle.stat();
      return {
        handle,
        path,
        fileName: videoNameOf(manifest, rendition, path),
        size,
        // Differs if the size or modification time of any file differs.
        modifiedMs: timeFor(textOf(found, ({ size, mtimeNs }) => [size, mtimeNs / 1_000_000n])),
        identity: identityOfAll(found),
        segmentStarts: segmentStarts(found.rendition),
        verifyUnchanged: () => verify(found),
        [Symbol.asyncDispose]: release,
      };
    } catch (error) {
      await release();
      throw error;
    }
  }

  #filesOf(tenant: string): TitleFiles {
    return new TitleFiles(this.#options.roots?.of(tenant));
  }

  async #find(tenant: string, name: RenditionName): Promise<Found> {
    const files = this.#filesOf(tenant);
    const title = await this.#options.titles.read(name.manifest, files.open, name.rendition);
    const rendition = renditionOf(name, title);
    const facts = new Map(files.opened);
    const segments = filesOf(rendition).filter((file) => !facts.has(file));
    for (const [index, fact] of (await files.facts(segments)).entries())
      facts.set(segments[index] ?? "", fact);
    return { name, rendition, files, facts };
  }

  /** Opens the file of a rendition: its only one, or the one into which its segments are joined. */
  async #fileOf(
    tenant: string,
    found: Found,
    signal: AbortSignal,
  ): Promise<{ readonly handle: FileHandle; readonly path: string; readonly release: () => Promise<void> }> {
    const { rendition, files, name } = found;
    const whole = await wholeFile(rendition, files.open);
    if (whole !== undefined) {
      const handle = await files.open(whole);
      return { handle, path: whole, release: () => handle.close() };
    }
    const file = await this.#options.joined.open({
      key: hash("sha256", JSON.stringify([tenant, name, textOf(found, Object.values)]), "hex"),
      bytes: bytesOf(rendition, (path) => Number(found.facts.get(path)?.size ?? 0n)),
      signal,
      join: async (target) => {
        const path = await assemble(rendition, { manifest: name.manifest, target, signal, open: files.open });
        await verify(found);
        return path;
      },
    });
    return { ...file, release: async () => file[Symbol.asyncDispose]() };
  }
}

/** Throws MEDIA_CHANGED if a file of the title was changed since it was read. */
async function verify({ name, files, facts }: Found): Promise<void> {
  const now = await files.facts([...facts.keys()]);
  const changed = [...facts].find(([, before], index) => {
    const after = now[index];
    return after?.size !== before.size || after.mtimeNs !== before.mtimeNs;
  });
  if (changed === undefined) return;
  throw new Failure(
    "MEDIA_CHANGED",
    `The file ${JSON.stringify(changed[0])} of the title ${JSON.stringify(name.manifest)} was modified while it was being read. Score it again when it is complete.`,
  );
}

/** Returns a text of the selected facts about all files. */
function textOf({ facts }: Found, of: (facts: FileFacts) => readonly unknown[]): string {
  return [...facts].map(([file, one]) => `${JSON.stringify(file)} ${of(one).join(":")}`).join("\n");
}

/** Identifies the rendition by the identities of its manifests and segments; undefined: one changed too recently. */
function identityOfAll(found: Found): string | undefined {
  const all = [...found.facts.values()].map((facts) => identityOf(facts));
  if (all.includes(undefined)) return undefined;
  return `title ${hash("sha256", [found.name.rendition, ...all].join("\n"), "hex")}`;
}
